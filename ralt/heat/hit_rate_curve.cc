//  This source code is licensed under both the GPLv2 (found in the
//  COPYING file in the root directory) and Apache 2.0 License
//  (found in the LICENSE.Apache file in the root directory).

#include "plugin/hotrap/ralt/heat/hit_rate_curve.h"

#include <algorithm>
#include <cstring>

#include "util/coding.h"
#include "util/crc32c.h"

namespace ROCKSDB_NAMESPACE {

namespace {

constexpr uint32_t kFormat = 1;
constexpr uint32_t kMaxPoints = 1 << 12;

void PutDouble(std::string* dst, double value) {
  uint64_t bits = 0;
  memcpy(&bits, &value, sizeof(bits));
  PutFixed64(dst, bits);
}

bool GetDouble(Slice* input, double* value) {
  uint64_t bits = 0;
  if (!GetFixed64(input, &bits)) {
    return false;
  }
  memcpy(value, &bits, sizeof(bits));
  // Neither NaN nor infinite.
  return *value >= 0 && *value <= 1e30;
}

}  // namespace

HitRateCurve::Point HitRateCurve::At(double bytes) const {
  if (points.empty()) {
    return Point{bytes, 0, 0};
  }
  const auto above = std::lower_bound(
      points.begin(), points.end(), bytes,
      [](const Point& point, double b) { return point.bytes < b; });
  if (above == points.end()) {
    return Point{bytes, points.back().hit_rate, points.back().error};
  }
  const Point below = above == points.begin() ? Point() : *(above - 1);
  const double part = above->bytes > below.bytes
                          ? (bytes - below.bytes) / (above->bytes - below.bytes)
                          : 1;
  return Point{bytes,
               below.hit_rate + part * (above->hit_rate - below.hit_rate),
               std::max(below.error, above->error)};
}

void HitRateCurve::EncodeTo(std::string* dst) const {
  std::string body;
  PutFixed32(&body, kFormat);
  PutFixed32(&body, static_cast<uint32_t>(points.size()));
  PutFixed64(&body, sampled_keys);
  for (const double value : {accesses, fast_share, stable_bytes}) {
    PutDouble(&body, value);
  }
  for (const Point& point : points) {
    PutDouble(&body, point.bytes);
    PutDouble(&body, point.hit_rate);
    PutDouble(&body, point.error);
  }
  PutFixed32(dst, crc32c::Mask(crc32c::Value(body.data(), body.size())));
  dst->append(body);
}

Status HitRateCurve::DecodeFrom(const Slice& input) {
  *this = HitRateCurve();
  Slice rest = input;
  uint32_t checksum = 0;
  uint32_t format = 0;
  uint32_t count = 0;
  if (!GetFixed32(&rest, &checksum) ||
      crc32c::Unmask(checksum) != crc32c::Value(rest.data(), rest.size()) ||
      !GetFixed32(&rest, &format) || format != kFormat ||
      !GetFixed32(&rest, &count) || count > kMaxPoints ||
      !GetFixed64(&rest, &sampled_keys)) {
    return Status::Corruption("RALT hit rates are damaged");
  }
  bool ok = true;
  for (double* value : {&accesses, &fast_share, &stable_bytes}) {
    ok = ok && GetDouble(&rest, value);
  }
  points.resize(ok ? count : 0);
  for (Point& point : points) {
    ok = ok && GetDouble(&rest, &point.bytes) &&
         GetDouble(&rest, &point.hit_rate) && GetDouble(&rest, &point.error);
  }
  if (!ok || !rest.empty()) {
    *this = HitRateCurve();
    return Status::Corruption("RALT hit rates are damaged");
  }
  return Status::OK();
}

}  // namespace ROCKSDB_NAMESPACE
