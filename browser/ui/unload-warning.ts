/** Asks before the page is closed while something is being sent. */
let enabled = false;

export function setUnloadWarning(wanted: boolean): void {
  enabled = wanted;
}

addEventListener('beforeunload', (event) => {
  if (enabled) event.preventDefault();
});
