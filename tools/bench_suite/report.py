#  This source code is licensed under both the GPLv2 (found in the
#  COPYING file in the root directory) and Apache 2.0 License
#  (found in the LICENSE.Apache file in the root directory).
"""The report: an HTML page with everything, JSON beside it, and a Markdown
page for docs/. What was not measured is said to be so."""

import base64
import html
import io
import json

import ablations
import pandas
from bench_suite import also, metrics, plots, targets

COLUMNS = {
    "throughput": ("operations/s", "{:,.0f}"),
    "hit_rate": ("fast hit rate", "{:.3f}"),
    "read_p50": ("read p50, us", "{:,.0f}"),
    "read_p99": ("read p99, us", "{:,.0f}"),
    "read_p99.9": ("read p99.9, us", "{:,.0f}"),
    "cpu_micros": ("CPU us/op", "{:.1f}"),
    "slow_reads": ("slow reads/s", "{:,.0f}"),
    "fast_reads": ("fast reads/s", "{:,.0f}"),
    "peak_rss_bytes": ("peak RSS, MB", "{:,.0f}"),
    "others_cpu": ("CPU of others", "{:.0%}"),
}
MEGABYTES = {"peak_rss_bytes"}
VERDICT = {True: "holds", False: "missed", None: ""}


def target_rows(judged):
    """(what, paper, here, here to paper, wanted, verdict) in words."""
    return [(row["what"], row["paper"], row["shown"],
             "" if row["ratio"] is None else f"{row['ratio']:.2f}",
             row["wanted"], VERDICT[row["holds"]]) for row in judged]


TARGET_HEADINGS = ("what", "paper", "here", "ratio", "wanted", "")


def run_rows(frame):
    """One row for the repetitions of a run: medians, and the spread of the
    throughput as a share of the median."""
    rows = []
    for (group, dataset, workload, system), part in frame.groupby(
            ["group", "dataset", "workload", "system"], sort=False):
        if "throughput" not in part or part.throughput.isna().all():
            continue
        cells = [group, dataset, workload, system, str(len(part))]
        for column, (_, form) in COLUMNS.items():
            values = part[column].dropna() if column in part else []
            value = values.median() if len(values) else float("nan")
            if column in MEGABYTES:
                value /= 1e6
            cells.append("" if pandas.isna(value) else form.format(value))
        spread = ((part.throughput.max() - part.throughput.min()) /
                  part.throughput.median())
        cells += [f"{spread:.1%}" if len(part) > 1 else "",
                  str(part.bound.iloc[0]) if "bound" in part else ""]
        rows.append(cells)
    return rows


RUN_HEADINGS = ("group", "data", "workload", "system", "runs",
                *(heading for heading, _ in COLUMNS.values()), "spread",
                "bound by")


def ablation_results(saved):
    return {one["system"]: one["result"] for one in saved
            if one["group"] == "ablation" and one["repeat"] == 1}


def ablation_rows(results):
    """Tables 3 to 5."""
    return [[name] + [form.format(value(result))
                      for _, _, form, value in ablations.COLUMNS]
            for name, result in results.items()]


ABLATION_HEADINGS = ("version",) + tuple(
    f"{name} {unit}".strip() for name, unit, *_ in ablations.COLUMNS)


def html_table(headings, rows):
    def cells(tag, values):
        return "".join(f"<{tag}>{html.escape(str(value))}</{tag}>"
                       for value in values)
    return ("<table><tr>" + cells("th", headings) + "</tr>" +
            "".join(f"<tr>{cells('td', row)}</tr>" for row in rows) +
            "</table>")


def markdown_table(headings, rows):
    lines = [headings, ["---"] * len(headings), *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |"
                     for line in lines)


def html_figure(figure):
    if figure is None:
        return "<p>not run</p>"
    picture = io.BytesIO()
    figure.savefig(picture, format="png", dpi=90)
    plots.pyplot.close(figure)
    text = base64.b64encode(picture.getvalue()).decode()
    return f'<img src="data:image/png;base64,{text}">'


def figures(frame, saved):
    """(heading, figure) in the order of the paper."""
    yield "Figure 6: throughput, 1 KiB", plots.throughput(frame, "1KiB-x3")
    yield "Figure 7: throughput, 200 B", plots.throughput(frame, "200B-x3")
    yield "Figure 8: latency of reads", plots.latency(frame, "1KiB-x3")
    yield ("Figures 9 and 10: Twitter clusters, gain by sunk and hot reads",
           plots.twitter_gain(frame))
    yield ("Figure 11: Twitter clusters, throughput",
           plots.group_bars(frame, "twitter"))
    yield "Replay of a real trace", plots.group_bars(frame, "trace")
    yield "Figure 12: CPU by part", plots.cpu_parts(frame)
    yield "Figure 13: I/O by part", plots.io_parts(saved)
    yield "Figure 14: RW over time", plots.over_time(saved)
    yield "Figure 15: dynamic workload", plots.dynamic(saved)
    yield "Figure 16: hdd", plots.group_bars(frame, "hdd", log=True)
    yield "Memory", plots.memory(frame)
    yield "Data size", plots.sizes(frame)
    yield "YCSB", plots.group_bars(frame, "ycsb")


def machines(saved):
    return [dict(pairs) for pairs in dict.fromkeys(
        tuple(one["machine"].items()) for one in saved)]


def commands(saved):
    return "\n".join(
        f"{one['name']}: " + " ".join(
            one.get("command") or one["result"].get("command", []))
        for one in saved)


STYLE = """body{font:15px sans-serif;max-width:1300px;margin:2em auto}
table{border-collapse:collapse;font-size:13px}
td,th{border:1px solid #ccc;padding:2px 8px;text-align:left}
img{max-width:100%}pre{overflow:auto;font-size:11px}"""


def html_page(frame, saved, judged, failures):
    results = ablation_results(saved)
    sections = [
        ("The paper's figures and what is wanted",
         html_table(TARGET_HEADINGS, target_rows(judged))),
        ("Machine", "".join(f"<p>{html.escape(str(machine))}</p>"
                            for machine in machines(saved))),
        *((heading, html_figure(figure))
          for heading, figure in figures(frame, saved)),
        ("Tables 3 to 5: HotRAP without its parts", html_table(
            ABLATION_HEADINGS, ablation_rows(results)) + html_table(
            ("what", "measured", "wanted"),
            [(check["what"], check["shown"], check["wanted"])
             for check in ablations.judge(results)]) if results
         else "<p>not run</p>"),
        ("All runs: the final tenth of each",
         html_table(RUN_HEADINGS, run_rows(frame))),
        ("Runs that failed", html_table(("run", "why"), failures.items())),
        ("Commands", f"<pre>{html.escape(commands(saved))}</pre>"),
    ]
    return ("<!doctype html><meta charset=utf-8><title>HotRAP: benchmarks"
            f"</title><style>{STYLE}</style><h1>HotRAP: benchmarks</h1>" +
            "".join(f"<h2>{html.escape(heading)}</h2>{body}"
                    for heading, body in sections))


def markdown_page(frame, saved, judged, failures):
    """docs/benchmarks.md."""
    lines = ["# Benchmarks", "",
             "Written by `make bench` from its results; "
             "[hotrap_bench.md](hotrap_bench.md) says how they are measured.",
             ""]
    if not saved:
        return "\n".join(lines + ["Not run yet.", ""])
    for machine in machines(saved):
        lines.append(f"- {machine['cpu']}, {machine['cpus']} CPUs, "
                     f"{machine['memory_bytes'] / 1e9:.0f} GB, "
                     f"{machine['system']}; commit {machine['commit']}")
    lines += ["", markdown_table(TARGET_HEADINGS, target_rows(judged)), ""]
    results = ablation_results(saved)
    if results:
        lines += ["## HotRAP without its parts", "", markdown_table(
            ABLATION_HEADINGS, ablation_rows(results)), ""]
    lines += ["## All runs", "", "The final tenth of each.", "",
              markdown_table(RUN_HEADINGS, run_rows(frame)), ""]
    if failures:
        lines += ["## Runs that failed", ""] + [
            f"- {name}: {why}" for name, why in failures.items()] + [""]
    return "\n".join(lines)


def write(out, store, also_folders, docs):
    saved = store.read_all()
    for folder in also_folders:
        saved += also.read(folder, saved)
    for one in saved:
        if one["all_fast"]:
            metrics.fold_tiers(one["result"])
    failures = store.failures()
    rows = [metrics.of_result(one) for one in saved]
    frame = pandas.DataFrame(rows, columns=None if rows else [
        "group", "dataset", "workload", "system", "repeat"])
    measured = targets.Measured(rows, saved)
    judged = [target.judge(measured) for target in targets.TARGETS]
    (out / "report.html").write_text(
        html_page(frame, saved, judged, failures))
    (out / "report.json").write_text(json.dumps(
        {"targets": judged, "runs": rows, "failed": failures,
         "machines": machines(saved), "scale": store.scale}, indent=1))
    if docs is not None:
        docs.write_text(markdown_page(frame, saved, judged, failures))
    for row in target_rows(judged):
        print(f"{row[-1] or '-':7} {row[0]}: {row[2]} ({row[4]})")
    print(f"{out}/report.html, report.json; {len(failures)} runs failed")
