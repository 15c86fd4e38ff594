#!/usr/bin/python3
#  This source code is licensed under both the GPLv2 (found in the
#  COPYING file in the root directory) and Apache 2.0 License
#  (found in the LICENSE.Apache file in the root directory).
"""Runs a program with HotRAP's collector under a real Prometheus, asks it what
each panel of the Grafana dashboard asks, and fails if one has no answer.

    scripts/check_prometheus.py [--picture=FILE.png]

The picture is drawn from Prometheus' answers with matplotlib. Needs
hotrap_exporter (make check-prometheus builds it) and the Debian packages
prometheus and python3-matplotlib.
"""

import argparse
import json
import math
import pathlib
import socket
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request

from base import BUILD, ROOT

DASHBOARD = ROOT / "tools/prometheus/grafana/hotrap.json"
SCRAPE_SECS = 1
MIN_POINTS = 3


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def fetch(url):
    with urllib.request.urlopen(url, timeout=10) as answer:
        return answer.read().decode()


def wait_for(url, seconds=60):
    end = time.monotonic() + seconds
    while True:
        try:
            return fetch(url)
        except OSError:
            if time.monotonic() > end:
                raise
            time.sleep(0.2)


def promtool(*arguments, text=""):
    """Fails on errors; what promtool's style guide says of names is printed."""
    run = subprocess.run(("promtool", *arguments), input=text, text=True,
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                         check=False)
    # 3: parsed, but a name or help text could be better.
    if run.returncode not in (0, 3):
        sys.exit(f"promtool {' '.join(arguments)}: {run.stdout}")
    return run.stdout


def expression(text):
    """Fills in Grafana's variables."""
    for variable, value in (("$__rate_interval", f"{5 * SCRAPE_SECS}s"),
                            ("$db", ".*"), ("$column_family", ".*")):
        text = text.replace(variable, value)
    return text


def ask(server, query, seconds):
    now = time.time()
    parameters = urllib.parse.urlencode(
        {"query": query, "start": now - seconds, "end": now,
         "step": SCRAPE_SECS})
    answer = json.loads(fetch(f"{server}/api/v1/query_range?{parameters}"))
    return answer["data"]["result"]


def series(server, panel, seconds):
    """Yields name and points of what the panel shows."""
    for target in panel["targets"]:
        for result in ask(server, expression(target["expr"]), seconds):
            name = target["legendFormat"]
            for label, value in result["metric"].items():
                name = name.replace("{{%s}}" % label, value)
            yield name, [(float(at), float(value)) for at, value in
                         result["values"] if not math.isnan(float(value))]


def draw(panels, name):
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot
    rows = (len(panels) + 1) // 2
    figure, axes = pyplot.subplots(rows, 2, figsize=(10, 2.1 * rows))
    start = min(point[0] for _, lines in panels for _, points in lines
                for point in points)
    for axis, (panel, lines) in zip(axes.flat, panels):
        for label, points in lines:
            axis.plot([at - start for at, _ in points],
                      [value for _, value in points], label=label, linewidth=1)
        axis.set_title(panel["title"], fontsize=8)
        axis.tick_params(labelsize=6)
        axis.set_ylim(bottom=0)
        axis.set_ylabel(panel["fieldConfig"]["defaults"]["unit"], fontsize=6)
        axis.legend(fontsize=5)
    figure.tight_layout()
    figure.savefig(name, dpi=68)


def check(server, dashboard, seconds):
    shown = []
    for panel in dashboard["panels"]:
        lines = list(series(server, panel, seconds))
        if not lines or max(len(points) for _, points in lines) < MIN_POINTS:
            sys.exit(f"Prometheus has no answer for {panel['title']}")
        names = {name for name, _ in lines}
        for target in panel["targets"]:
            if "{{" not in target["legendFormat"] and \
                    target["legendFormat"] not in names:
                sys.exit(f"{panel['title']}: nothing for {target['expr']}")
        print(f"  {panel['title']}: {len(lines)} lines")
        if panel["type"] == "timeseries":
            shown.append((panel, lines))
    return shown


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--exporter", type=pathlib.Path,
                        default=BUILD / "check/hotrap_exporter")
    parser.add_argument("--seconds", type=int, default=25)
    parser.add_argument("--picture")
    options = parser.parse_args()
    dashboard = json.loads(DASHBOARD.read_text())
    ports = free_port(), free_port()
    server = f"http://127.0.0.1:{ports[1]}"
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for path in ("fast", "slow"):
            (folder / path).mkdir()
        config = folder / "prometheus.yml"
        config.write_text(json.dumps({
            "global": {"scrape_interval": f"{SCRAPE_SECS}s"},
            "scrape_configs": [{"job_name": "hotrap", "static_configs": [
                {"targets": [f"127.0.0.1:{ports[0]}"]}]}]}))
        promtool("check", "config", str(config))
        with (folder / "log").open("w") as log:
            programs = [
                subprocess.Popen(
                    (options.exporter, f"--folder={folder}",
                     f"--listen=127.0.0.1:{ports[0]}",
                     f"--seconds={options.seconds + 60}")),
                subprocess.Popen(
                    ("prometheus", f"--config.file={config}",
                     f"--storage.tsdb.path={folder}/tsdb",
                     f"--web.listen-address=127.0.0.1:{ports[1]}"),
                    stdout=log, stderr=log)]
            try:
                wait_for(f"{server}/-/ready")
                metrics = wait_for(f"http://127.0.0.1:{ports[0]}/metrics")
                time.sleep(options.seconds)
                metrics = fetch(f"http://127.0.0.1:{ports[0]}/metrics")
                promtool("check", "metrics", text=metrics)
                shown = check(server, dashboard, options.seconds)
                if options.picture:
                    draw(shown, options.picture)
            finally:
                for program in programs:
                    program.terminate()
                    program.wait()
    samples = sum(line[:1] not in ("", "#") for line in metrics.splitlines())
    print(f"Prometheus: {samples} samples a scrape, "
          f"{len(dashboard['panels'])} panels answered")


if __name__ == "__main__":
    main()
