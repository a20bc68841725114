/** Lets the browser save a file that was made or opened on this page. */

/** Some browsers start reading only after asking the user where to save the file. */
const KEEP_URL_MS = 60_000;

export function saveWithBrowser({ name, content }: { readonly name: string; readonly content: Blob }): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), KEEP_URL_MS);
}
