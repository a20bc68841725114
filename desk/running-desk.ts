/** The desk while it runs: its server, its lock, its entry, and the terminal that it was started from. */
import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { basename } from 'node:path';
import { pathToFileURL } from 'node:url';
import { EXIT_CODES, ProgramError } from '#platform/exit-codes.ts';
import { DeskUnlocker } from './desk-unlocker.ts';
import { askPassphrase } from './keys/typed-passphrase.ts';
import { loadDeskAssets } from './loopback/desk-assets.ts';
import { DeskLock } from './loopback/desk-lock.ts';
import { DeskEntry, ENTRY_PATH, ENTRY_SECONDS, EntryFile } from './loopback/entry.ts';
import { type LoopbackServer, startLoopbackServer } from './loopback/server.ts';
import type { DeskWork } from './model/desk-work.ts';
import { deskRoutes } from './pages/routes.ts';
import type { DeskSettings } from './settings.ts';
import { formatTrace, printLine } from './terminal.ts';

export class RunningDesk {
  readonly #settings: DeskSettings;
  readonly #entryFolder: string;
  readonly #entryFile: EntryFile;
  readonly #entry = new DeskEntry();
  readonly #lock: DeskLock<DeskWork>;
  readonly #unlocker: DeskUnlocker;
  #server: LoopbackServer | null = null;
  #hasPassphrase = false;

  constructor(settings: DeskSettings, entryFolder: string) {
    this.#settings = settings;
    this.#entryFolder = entryFolder;
    this.#entryFile = new EntryFile(entryFolder);
    this.#lock = new DeskLock({ onLock: () => this.#reportLock() });
    this.#unlocker = new DeskUnlocker(settings, this.#lock);
  }

  /** A key without a passphrase is opened at once; one with a passphrase in the browser, or after Enter. */
  async start(): Promise<void> {
    this.#hasPassphrase = await this.#unlocker.needsPassphrase();
    if (!this.#hasPassphrase) {
      const fault = await this.#unlocker.unlock('');
      if (fault !== null) throw new ProgramError(fault, EXIT_CODES.unavailable);
    }
    this.#server = await this.#startServer();
    printLine(`${this.#unlocker.versions} Office ${this.#officeName}, key ${this.#keyName}.`);
    this.#offerEntry();
  }

  /** Handles Enter on the terminal: unlocks a locked desk, and prints a new address. */
  async resume(): Promise<void> {
    this.#hasPassphrase = await this.#unlocker.needsPassphrase();
    // The browser that had entered before has to enter again.
    this.#entry.endVisit();
    const fault = this.#lock.state ? await this.#unlockHere() : null;
    if (fault !== null) printLine(fault);
    this.#offerEntry();
  }

  lock(): void {
    this.#lock.lock('signal');
  }

  async close(): Promise<void> {
    this.#server?.close();
    this.#server = null;
    this.#lock.lock('signal');
    await this.#lock.settle();
    rmSync(this.#entryFolder, { recursive: true, force: true });
  }

  #reportLock(): void {
    if (this.#server) printLine('The desk is locked. Press Enter to continue.');
  }

  get #keyName(): string {
    return basename(this.#settings.keyPath);
  }

  get #officeName(): string {
    return new URL(this.#settings.address.origin).host;
  }

  async #unlockHere(): Promise<string | null> {
    if (!this.#hasPassphrase) return await this.#unlocker.unlock('');
    if (!process.stdin.isTTY) return null;
    const passphrase = await askPassphrase(
      `Passphrase of ${this.#keyName} (press Enter to type it in the browser): `,
    );
    return passphrase === '' ? null : await this.#unlocker.unlock(passphrase);
  }

  async #startServer(): Promise<LoopbackServer> {
    const unlocker = this.#unlocker;
    return await startLoopbackServer({
      routes: deskRoutes,
      assets: await loadDeskAssets(),
      entry: this.#entry,
      lock: this.#lock,
      hostName: this.#settings.isNumeric ? '127.0.0.1' : `desk-${randomBytes(8).toString('hex')}.localhost`,
      describeLocked: () => ({
        keyName: this.#keyName,
        hasPassphrase: this.#hasPassphrase,
        office: this.#officeName,
        versions: unlocker.versions,
      }),
      unlock: async (passphrase) =>
        this.#hasPassphrase
          ? await unlocker.unlockInBrowser(passphrase)
          : 'Press Enter in the terminal where the desk runs.',
      keepForm: async (form) => await unlocker.keepForm(form),
      onEnter: () => this.#entryFile.remove(),
      onError: (error) => printLine(`Unexpected ${formatTrace(error)}`),
    });
  }

  #offerEntry(): void {
    const link = `${this.#server?.origin}${ENTRY_PATH}${this.#entry.makeSecret()}`;
    this.#entryFile.write(link);
    printLine(`
  Open  ${pathToFileURL(this.#entryFile.path)}
  or    ${link}

Either works once, within ${ENTRY_SECONDS} seconds. Use a private window: other windows may store what you type.
Press Enter for a new address, Ctrl+C to end the desk.
`);
  }
}
