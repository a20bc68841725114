/** Tells the time in the unit that the provider's objects use. */
export function getUnixSeconds(): number {
  return Math.floor(Date.now() / 1000);
}
