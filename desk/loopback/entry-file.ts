/** The private file that leads a browser into the desk: readable only by its owner, and deleted after a minute. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ENTRY_SECONDS } from './entry.ts';

export class EntryFile {
  readonly path: string;
  #timer: NodeJS.Timeout | undefined;

  /** `folder` must not be readable by other users. */
  constructor(folder: string) {
    this.path = join(folder, 'open.html');
  }

  /** The address is made of our own name and a secret in base64url, so nothing in it needs escaping. */
  write(address: string): void {
    this.remove();
    writeFileSync(
      this.path,
      `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url=${address}">
<title>Desk</title>
</head>
<body><p><a href="${address}">Open the desk</a></p></body>
</html>
`,
      { mode: 0o600, flag: 'wx' },
    );
    this.#timer = setTimeout(() => this.remove(), ENTRY_SECONDS * 1000).unref();
  }

  remove(): void {
    clearTimeout(this.#timer);
    rmSync(this.path, { force: true });
  }
}
