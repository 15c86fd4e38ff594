//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/tools/ldb/advice.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <vector>

namespace ROCKSDB_NAMESPACE {

namespace {

constexpr double kGB = 1e9;
constexpr int kBarLength = 40;

std::string Format(const char* format, ...) {
  char line[512];
  va_list args;
  va_start(args, format);
  vsnprintf(line, sizeof(line), format, args);
  va_end(args);
  return line;
}

std::string Size(double bytes) {
  return bytes >= kGB ? Format("%.1f GB", bytes / kGB)
                      : Format("%.1f MB", bytes / 1e6);
}

}  // namespace

bool ParsePrice(const std::string& text, double* price) {
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, *price);
  return error == std::errc() && rest == end && std::isfinite(*price) &&
         *price >= 0;
}

Advice::Advice(const std::string& column_family, const HitRateModel& model,
               const AdviceOptions& options)
    : column_family_(column_family), model_(model), options_(options) {}

std::string Advice::ToString() const {
  std::string text =
      "Column family " + column_family_ + ": " +
      Format(
          "%.1f %% of %.0f recent point reads were answered by the fast "
          "path; %s of records are read again and again\n",
          100 * model_.measured(), model_.curve().accesses,
          Size(model_.curve().stable_bytes).c_str());
  if (!model_.known()) {
    return text + "  not enough accesses, or no fast budget: no advice yet\n";
  }
  text += "  fast budget   hit rate %       slow reads";
  text += options_.fast_price > 0 ? "   money a month\n" : "\n";
  const double budget = model_.budget_bytes();
  const HitRateModel::Point now = model_.At(budget);
  for (const HitRateModel::Point& point : model_.Points()) {
    const double ratio =
        now.hit_rate < 1 ? (1 - point.hit_rate) / (1 - now.hit_rate) : 0;
    text += Format("%c %12s  %5.1f +- %-4.1f  x%-5.2f",
                   point.budget_bytes == budget ? '*' : ' ',
                   Size(point.budget_bytes).c_str(), 100 * point.hit_rate,
                   100 * point.error, ratio);
    if (options_.fast_price > 0) {
      text += Format(" %10.2f", point.budget_bytes / kGB * options_.fast_price);
    }
    text += " |" +
            std::string(
                static_cast<size_t>(std::lround(kBarLength * point.hit_rate)),
                '#') +
            "\n";
  }
  const HitRateModel::Point twice = model_.At(2 * budget);
  const double gain = 100 * (twice.hit_rate - now.hit_rate);
  text += Format(
      "  Twice the budget: %+.1f points of hit rate, give or take "
      "%.1f",
      gain, 100 * std::max(now.error, twice.error));
  if (options_.fast_price > 0) {
    const double money = budget / kGB * options_.fast_price;
    text += Format(", for %.2f a month", money);
    if (gain > 0.05) {
      text += Format(": %.2f a point", money / gain);
    }
    if (options_.slow_price > 0) {
      const double data = model_.data_bytes() / kGB;
      text += Format(
          "\n  All data on the fast disk: %.2f a month; on two disks as now: "
          "%.2f",
          data * options_.fast_price,
          budget / kGB * options_.fast_price + data * options_.slow_price);
    }
  }
  return text + "\n";
}

std::string Advice::ToSvg() const {
  constexpr double kWidth = 640;
  constexpr double kHeight = 400;
  constexpr double kMargin = 50;
  const std::vector<HitRateModel::Point> points = model_.Points();
  const double most =
      points.empty() ? 1 : std::max(1.0, points.back().budget_bytes);
  const auto x = [&](double bytes) {
    return kMargin + bytes / most * (kWidth - 2 * kMargin);
  };
  const auto y = [&](double rate) {
    return kHeight - kMargin -
           std::clamp(rate, 0.0, 1.0) * (kHeight - 2 * kMargin);
  };
  std::string line;
  std::string upper;
  std::string lower;
  for (const HitRateModel::Point& point : points) {
    const double at = x(point.budget_bytes);
    line += Format("%.1f,%.1f ", at, y(point.hit_rate));
    upper += Format("%.1f,%.1f ", at, y(point.hit_rate + point.error));
    lower = Format("%.1f,%.1f ", at, y(point.hit_rate - point.error)) + lower;
  }
  std::string svg = Format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" "
      "font-family=\"sans-serif\" font-size=\"12\">\n"
      "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
      kWidth, kHeight);
  for (int percent = 0; percent <= 100; percent += 20) {
    const double at = y(percent / 100.0);
    svg += Format(
        "<path d=\"M%.0f %.1fH%.0f\" stroke=\"#ddd\"/>"
        "<text x=\"%.0f\" y=\"%.1f\" text-anchor=\"end\">%d %%</text>\n",
        kMargin, at, kWidth - kMargin, kMargin - 5, at + 4, percent);
  }
  for (int i = 0; i <= 4; i++) {
    svg += Format(
        "<text x=\"%.1f\" y=\"%.0f\" text-anchor=\"middle\">%s</text>\n",
        x(most * i / 4), kHeight - kMargin + 18, Size(most * i / 4).c_str());
  }
  svg += "<polygon points=\"" + upper + lower + "\" fill=\"#cfe2f3\"/>\n";
  svg += "<polyline points=\"" + line +
         "\" fill=\"none\" stroke=\"#1f4e79\" stroke-width=\"2\"/>\n";
  const double budget = model_.budget_bytes();
  svg += Format("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\" fill=\"#c00\"/>\n",
                x(budget), y(model_.measured()));
  svg += Format(
      "<text x=\"%.0f\" y=\"20\">Hit rate against the fast budget; the point "
      "is "
      "what was measured</text>\n</svg>\n",
      kMargin);
  return svg;
}

}  // namespace ROCKSDB_NAMESPACE
