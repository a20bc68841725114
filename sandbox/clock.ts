/** The current time in seconds, as the provider's objects have it. */
export function getUnixSeconds(): number {
  return Math.floor(Date.now() / 1000);
}
