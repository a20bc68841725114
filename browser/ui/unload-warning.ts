/** Asks for confirmation before the page is closed if typed text would be lost. */
const typedForms = new Set<HTMLFormElement>();

export function clearUnloadWarning(): void {
  typedForms.clear();
}

/** Whether typed text would be lost with the page. */
export function hasTypedText(): boolean {
  return typedForms.size > 0;
}

/** Warns from the first input until the form is reset, or until the browser submits it without our script. */
export function warnOnceTyped(form: HTMLFormElement): void {
  form.addEventListener('input', () => typedForms.add(form));
  form.addEventListener('reset', () => typedForms.delete(form));
  addEventListener('submit', ({ defaultPrevented }) => {
    if (!defaultPrevented) clearUnloadWarning();
  });
}

addEventListener('beforeunload', (event) => {
  if (hasTypedText()) event.preventDefault();
});
