#  This source code is licensed under both the GPLv2 (found in the
#  COPYING file in the root directory) and Apache 2.0 License
#  (found in the LICENSE.Apache file in the root directory).
"""The report: an HTML page with everything, and JSON beside it. What was not
measured is said to be so."""

import base64
import dataclasses
import html
import io
import json

import pandas
from bench_suite import (ablation, also, coverage, flame, metrics, missed,
                         parts, plots, profile, tables, targets)


@dataclasses.dataclass(frozen=True)
class Content:
    """The content of all pages."""
    saved: list
    # Rows of metrics.of_result.
    rows: list
    frame: pandas.DataFrame
    judged: list
    # Of coverage.summary.
    summary: dict
    # Rows of parts.measure and metrics.stages.
    parts: list
    stages: list
    # By run.
    failures: dict


def html_table(table):
    def cells(tag, values):
        return "".join(f"<{tag}>{html.escape(str(value))}</{tag}>"
                       for value in values)
    if not table.rows:
        return "<p>not run</p>"
    return ("<table><tr>" + cells("th", table.headings) + "</tr>" +
            "".join(f"<tr>{cells('td', row)}</tr>" for row in table.rows) +
            "</table>")


def html_figure(figure, kind="png"):
    if figure is None:
        return "<p>not run</p>"
    picture = io.BytesIO()
    figure.savefig(picture, format=kind, dpi=90)
    plots.pyplot.close(figure)
    text = base64.b64encode(picture.getvalue()).decode()
    mime = {"png": "png", "svg": "svg+xml"}[kind]
    return f'<img src="data:image/{mime};base64,{text}">'


def figures(content):
    """Returns (heading, figure) in the order of the paper."""
    frame, saved = content.frame, content.saved
    yield "Figure 6: throughput, 1 KiB", plots.throughput(frame, "1KiB-x3")
    yield "Figure 7: throughput, 200 B", plots.throughput(frame, "200B-x1")
    yield "Figure 8: latency", plots.latency(frame, "1KiB-x3")
    yield ("Figures 9 and 10: Twitter clusters, gain by sunk and hot reads",
           plots.twitter_gain(frame))
    yield ("Figure 11: Twitter clusters, throughput",
           plots.group_bars(frame, "twitter"))
    yield "Replay of a real trace", plots.group_bars(frame, "trace")
    yield "Figure 12: CPU by part", plots.by_part(content.parts, "us")
    yield "Figure 13: I/O by part", plots.by_part(content.parts, "bytes")
    yield "Figure 14: RW over time", plots.over_time(saved)
    yield "Figure 15: dynamic workload", plots.dynamic(saved)
    yield "Figure 16: hdd", plots.hdd(frame)
    yield "Memory", plots.memory(frame)
    yield "Data size", plots.sizes(frame)
    yield "YCSB", plots.group_bars(frame, "ycsb")


def flame_graphs(saved, store):
    """Returns flame graphs of reads: of a hotspot, and of reads that find
    everything in the cache."""
    for one in saved:
        path = store.folded_path(one["name"], one["repeat"])
        if one["repeat"] == 1 and path.exists() and (
                one["group"] == "cached-profile" or
                (one["group"], one["workload"]) == ("profile", "RO-hotspot")):
            yield html_figure(flame.draw(profile.read_folded(path),
                                         one["name"]), "svg")


def command_lines(commands):
    return "\n".join(f"{name}: {command}"
                     for name, command in commands.items())


STYLE = """body{font:15px sans-serif;max-width:1300px;margin:2em auto}
table{border-collapse:collapse;font-size:13px;display:block;overflow:auto}
td,th{border:1px solid #ccc;padding:2px 8px;text-align:left}
img{max-width:100%}pre{overflow:auto;font-size:11px}"""


def html_page(content, store):
    saved = content.saved
    failures = tables.Table(("run", "why"), list(content.failures.items()))
    why = "".join(f"<li>{html.escape(line)}</li>"
                  for line in missed.lines(content.judged))
    sections = [
        ("The paper's figures and what is wanted",
         html_table(tables.targets(content.judged)) + f"<ul>{why}</ul>"),
        ("Where the results are from", html_table(tables.provenance(saved))),
        *((heading, html_figure(figure))
          for heading, figure in figures(content)),
        ("CPU and I/O an operation by part (Figures 12, 13)",
         html_table(tables.parts(content.parts))),
        ("Figure 15 by stage", html_table(tables.stages(content.stages))),
        ("Data size: what a record costs",
         html_table(tables.sizes(content.frame))),
        ("Tables 3 to 5: HotRAP without its parts",
         html_table(tables.ablations(saved)) +
         html_table(tables.ablation_checks(saved))),
        ("Where the CPU time of reads goes",
         "".join(flame_graphs(saved, store)) or "<p>not run</p>"),
        ("All runs: the final tenth of each",
         html_table(tables.runs(content.frame))),
        ("Runs that failed", html_table(failures) if failures.rows
         else "<p>none</p>"),
        ("Commands", "<pre>" + html.escape(command_lines(
            coverage.commands(saved))) + "</pre>"),
    ]
    return ("<!doctype html><meta charset=utf-8><title>HotRAP: benchmarks"
            f"</title><style>{STYLE}</style><h1>HotRAP: benchmarks</h1>" +
            "".join(f"<p>{html.escape(sentence)}</p>"
                    for sentence in coverage.sentences(content.summary)) +
            "".join(f"<h2>{html.escape(heading)}</h2>{body}"
                    for heading, body in sections))


def json_page(content):
    results = ablation.results_of(content.saved)
    return json.dumps({
        **content.summary, "targets": content.judged, "runs": content.rows,
        "parts": content.parts, "stages": content.stages,
        "ablations": {name: ablation.figures_of(result)
                      for name, result in results.items()},
        "ablation_checks": ablation.judge(results),
        "failed": content.failures,
        "from": tables.provenance(content.saved).rows,
        "commands": coverage.commands(content.saved)}, indent=1)


def gather(store, plan, also_folders, reasons):
    """`reasons` are those of missed.read."""
    saved, stale = coverage.split(store.read_all(), plan)
    # Results of other builds are not part of the plan.
    summary = coverage.summary(saved, stale, plan, store.scale)
    for folder in also_folders:
        saved += also.read(folder, saved, store.scale)
    for one in saved:
        if one["all_fast"]:
            metrics.fold_tiers(one["result"])
    rows = [metrics.of_result(one) for one in saved]
    measured = targets.Measured(rows, saved)
    return Content(
        saved, rows, pandas.DataFrame(rows, columns=None if rows else [
            "group", "dataset", "workload", "system", "repeat"]),
        missed.explain([target.judge(measured) for target in targets.TARGETS],
                       reasons),
        summary, parts.measure(saved), list(metrics.stages(saved)),
        store.failures())


def write(out, content, store):
    (out / "report.html").write_text(html_page(content, store))
    (out / "report.json").write_text(json_page(content))
    for row in content.judged:
        print(f"{tables.verdict(row) or '-':7} {row['what']}: "
              f"{row['shown']} ({row['wanted'] or 'shown only'})")
    for sentence in coverage.sentences(content.summary):
        print(sentence)
    print(f"{out}/report.html, report.json; "
          f"{len(content.failures)} runs failed")
