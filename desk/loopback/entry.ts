/** Lets one browser in: the one that presents the secret of this minute gets the only cookie that the desk accepts. */
import { createHmac, randomBytes } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isEqualInConstantTime } from '#platform/text/constant-time.ts';
import { type ClockMark, markTime, measureSince, systemClocks, type TwoClocks } from './desk-lock.ts';
import type { BrowserVisit } from './page-route.ts';

export const ENTRY_PATH = '/enter/';
/** The path at which a page asks the desk to prove that it made the page. */
export const PROOF_PATH = '/proof';
/** A random UUID: with 122 random bits, no challenge occurs twice. */
const ASKED_PATTERN = /^[\da-f-]{36}$/;
/** The time to get from the terminal to the browser. */
export const ENTRY_SECONDS = 60;
const SECRET_BYTES = 32;

export interface HeldVisit extends Omit<BrowserVisit, 'path'> {
  readonly cookie: string;
  /** True if it entered a locked desk. An older window may have lost its desk, so it is not asked for a passphrase. */
  readonly mayUnlock: boolean;
}

/** Cookies are not separated by port, so the name distinguishes this desk from others on the machine. */
export class DeskEntry {
  readonly cookieName = `desk-${randomBytes(8).toString('hex')}`;
  readonly #clocks: TwoClocks;
  #secret: { readonly text: string; readonly madeAt: ClockMark } | null = null;
  #visit: HeldVisit | null = null;

  constructor(clocks: TwoClocks = systemClocks) {
    this.#clocks = clocks;
  }

  /** Invalidates the previous secret. */
  makeSecret(): string {
    const text = createSecret();
    this.#secret = { text, madeAt: markTime(this.#clocks) };
    return text;
  }

  /** Null for a wrong, used or old secret. A second entry ends the first visit. */
  enter(presented: string, isLocked: boolean): HeldVisit | null {
    const secret = this.#secret;
    if (!secret || measureSince(secret.madeAt, this.#clocks) >= ENTRY_SECONDS * 1000) return null;
    if (!isEqualInConstantTime(presented, secret.text)) return null;
    this.#secret = null;
    return this.startVisit(isLocked);
  }

  /** Makes a new cookie and a new form token, so that old ones are void. */
  startVisit(mayUnlock = false): HeldVisit {
    const hasSingleKeys = this.#visit?.hasSingleKeys ?? true;
    this.#visit = { cookie: createSecret(), formToken: createSecret(), hasSingleKeys, mayUnlock };
    return this.#visit;
  }

  switchSingleKeys(): void {
    if (this.#visit) this.#visit = { ...this.#visit, hasSingleKeys: !this.#visit.hasSingleKeys };
  }

  endVisit(): void {
    this.#visit = null;
    this.#secret = null;
  }

  /** Null unless the cookie was sent exactly once, with the value of the current visit. */
  findVisit(cookieHeaders: readonly string[]): HeldVisit | null {
    const values = cookieHeaders
      .flatMap((header) => header.split(';'))
      .map((pair) => pair.trim())
      .filter((pair) => pair.startsWith(`${this.cookieName}=`));
    const [pair] = values;
    if (!this.#visit || values.length !== 1 || pair === undefined) return null;
    const value = pair.slice(this.cookieName.length + 1);
    return isEqualInConstantTime(value, this.#visit.cookie) ? this.#visit : null;
  }

  /** A session cookie, hence no `Max-Age`. Not `Secure`, which WebKit would not store over HTTP. */
  formatCookie({ cookie }: HeldVisit): string {
    return `${this.cookieName}=${cookie}; HttpOnly; SameSite=Strict; Path=/`;
  }
}

/** Only the desk and its pages know the token. The proof also covers `said`. Null if `asked` is invalid. */
export function computeVisitProof(
  { formToken }: Pick<BrowserVisit, 'formToken'>,
  asked: string | null,
  said: string,
): Buffer | null {
  if (asked === null || !ASKED_PATTERN.test(asked)) return null;
  const proof = createHmac('sha256', formToken).update(asked).update(said).digest();
  return Buffer.concat([proof, Buffer.from(said)]);
}

function createSecret(): string {
  return randomBytes(SECRET_BYTES).toString('base64url');
}

/** The private file that leads a browser into the desk: readable only by its owner, and deleted after a minute. */
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
