// Minutes and seconds, with as many digits after the point as asked for; never below zero.

export function clock(ms: number, digits = 0): string {
  const whole = 10 ** digits;
  // The little more keeps a time that is whole but for rounding from falling to the second before.
  const seconds = Math.max(0, Math.floor((ms / 1000) * whole + 1e-6) / whole);
  const minutes = Math.floor(seconds / 60);
  return `${minutes}:${(seconds - 60 * minutes).toFixed(digits).padStart(digits ? digits + 3 : 2, "0")}`;
}
