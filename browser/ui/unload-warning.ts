/** Asks before the page is closed while something typed or being sent would be lost. */
let enabled = false;

export function setUnloadWarning(wanted: boolean): void {
  enabled = wanted;
}

/** A form that the browser sends itself leaves the page without a question. */
export function warnOnceTyped(form: HTMLFormElement): void {
  form.addEventListener('input', () => setUnloadWarning(true));
  addEventListener('submit', ({ defaultPrevented }) => {
    if (!defaultPrevented) setUnloadWarning(false);
  });
}

addEventListener('beforeunload', (event) => {
  if (enabled) event.preventDefault();
});
