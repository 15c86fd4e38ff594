#  This source code is licensed under both the GPLv2 (found in the
#  COPYING file in the root directory) and Apache 2.0 License
#  (found in the LICENSE.Apache file in the root directory).
"""The report: an HTML page with everything, JSON beside it, and a Markdown
page for docs/. What was not measured is said to be so."""

import base64
import html
import io
import json

import pandas
from bench_suite import also, flame, metrics, plots, profile, tables, targets


def html_table(table):
    def cells(tag, values):
        return "".join(f"<{tag}>{html.escape(str(value))}</{tag}>"
                       for value in values)
    if not table.rows:
        return "<p>not run</p>"
    return ("<table><tr>" + cells("th", table.headings) + "</tr>" +
            "".join(f"<tr>{cells('td', row)}</tr>" for row in table.rows) +
            "</table>")


def markdown_table(table):
    lines = [table.headings, ["---"] * len(table.headings), *table.rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |"
                     for line in lines)


def html_figure(figure, kind="png"):
    if figure is None:
        return "<p>not run</p>"
    picture = io.BytesIO()
    figure.savefig(picture, format=kind, dpi=90)
    plots.pyplot.close(figure)
    text = base64.b64encode(picture.getvalue()).decode()
    mime = {"png": "png", "svg": "svg+xml"}[kind]
    return f'<img src="data:image/{mime};base64,{text}">'


def figures(frame, saved):
    """(heading, figure) in the order of the paper."""
    yield "Figure 6: throughput, 1 KiB", plots.throughput(frame, "1KiB-x3")
    yield "Figure 7: throughput, 200 B", plots.throughput(frame, "200B-x1")
    yield "Figure 8: latency", plots.latency(frame, "1KiB-x3")
    yield ("Figures 9 and 10: Twitter clusters, gain by sunk and hot reads",
           plots.twitter_gain(frame))
    yield ("Figure 11: Twitter clusters, throughput",
           plots.group_bars(frame, "twitter"))
    yield "Replay of a real trace", plots.group_bars(frame, "trace")
    yield "Figure 12: CPU by part", plots.cpu_parts(frame)
    yield "Figure 13: I/O by part", plots.io_parts(saved)
    yield "Figure 14: RW over time", plots.over_time(saved)
    yield "Figure 15: dynamic workload", plots.dynamic(saved)
    yield "Figure 16: hdd", plots.hdd(frame)
    yield "Memory", plots.memory(frame)
    yield "Data size", plots.sizes(frame)
    yield "YCSB", plots.group_bars(frame, "ycsb")


def flame_graphs(saved, store):
    """Of the reads that find everything in the block cache."""
    for one in saved:
        path = store.folded_path(one["name"], one["repeat"])
        if one["group"] == "cached-profile" and path.exists():
            yield html_figure(flame.draw(profile.read_folded(path),
                                         f"cached reads, {one['system']}"),
                              "svg")


def commands(saved):
    lines = []
    loads = {}
    for one in saved:
        command = one.get("command") or one["result"].get("command", [])
        lines.append(f"{one['name']}: {' '.join(command)}")
        if "load_command" in one:
            loads[" ".join(one["load_command"])] = None
    return "\n".join([f"load: {load}" for load in loads] + lines)


STYLE = """body{font:15px sans-serif;max-width:1300px;margin:2em auto}
table{border-collapse:collapse;font-size:13px;display:block;overflow:auto}
td,th{border:1px solid #ccc;padding:2px 8px;text-align:left}
img{max-width:100%}pre{overflow:auto;font-size:11px}"""


def html_page(frame, saved, judged, store):
    failures = tables.Table(("run", "why"), list(store.failures().items()))
    sections = [
        ("The paper's figures and what is wanted",
         html_table(tables.targets(judged))),
        ("Where the results are from", html_table(tables.provenance(saved))),
        *((heading, html_figure(figure))
          for heading, figure in figures(frame, saved)),
        ("Figure 15 by stage", html_table(tables.stages(saved))),
        ("Data size: what a record costs", html_table(tables.sizes(frame))),
        ("Tables 3 to 5: HotRAP without its parts",
         html_table(tables.ablations(saved)) +
         html_table(tables.ablation_checks(saved))),
        ("Where the CPU time of a cached read goes",
         "".join(flame_graphs(saved, store)) or "<p>not run</p>"),
        ("All runs: the final tenth of each", html_table(tables.runs(frame))),
        ("Runs that failed", html_table(failures) if failures.rows
         else "<p>none</p>"),
        ("Commands", f"<pre>{html.escape(commands(saved))}</pre>"),
    ]
    return ("<!doctype html><meta charset=utf-8><title>HotRAP: benchmarks"
            f"</title><style>{STYLE}</style><h1>HotRAP: benchmarks</h1>" +
            "".join(f"<h2>{html.escape(heading)}</h2>{body}"
                    for heading, body in sections))


def markdown_page(frame, saved, judged, store):
    """docs/benchmarks.md."""
    lines = ["# Benchmarks", "",
             "Written by `make bench` from its results; "
             "[hotrap_bench.md](hotrap_bench.md) says how they are measured.",
             ""]
    if not saved:
        return "\n".join(lines + ["Not run yet.", ""])
    lines += [markdown_table(tables.targets(judged)), ""]
    for heading, table in (
            ("Where the results are from", tables.provenance(saved)),
            ("The dynamic workload by stage", tables.stages(saved)),
            ("What a record costs", tables.sizes(frame)),
            ("HotRAP without its parts", tables.ablations(saved)),
            ("What that says", tables.ablation_checks(saved)),
            ("All runs: the final tenth of each", tables.runs(frame))):
        if table.rows:
            lines += [f"## {heading}", "", markdown_table(table), ""]
    failures = store.failures()
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
    rows = [metrics.of_result(one) for one in saved]
    frame = pandas.DataFrame(rows, columns=None if rows else [
        "group", "dataset", "workload", "system", "repeat"])
    measured = targets.Measured(rows, saved)
    judged = [target.judge(measured) for target in targets.TARGETS]
    (out / "report.html").write_text(html_page(frame, saved, judged, store))
    (out / "report.json").write_text(json.dumps(
        {"targets": judged, "runs": rows, "failed": store.failures(),
         "from": tables.provenance(saved).rows, "scale": store.scale},
        indent=1))
    if docs is not None:
        docs.write_text(markdown_page(frame, saved, judged, store))
    for row in judged:
        print(f"{tables.VERDICT[row['holds']] or '-':7} {row['what']}: "
              f"{row['shown']} ({row['wanted'] or 'shown only'})")
    print(f"{out}/report.html, report.json; "
          f"{len(store.failures())} runs failed")
