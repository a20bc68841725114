/** Unlocks the desk: opens the key, signs in at the office, and creates what the pages work with. */
import { VERSION } from '#platform/config/version.ts';
import { ProgramError } from '#platform/exit-codes.ts';
import { type AgeRecipient, deriveRecipient } from '#seal/core/age.ts';
import { type CaseDraft, deleteOldDrafts, saveUnsent } from './keys/draft-file.ts';
import { hasPassphrase, readIdentity, WRONG_PASSPHRASE } from './keys/key-text.ts';
import type { DeskLock } from './loopback/desk-lock.ts';
import { DeskWork } from './model/desk-work.ts';
import { readOfficeTrust } from './office/office-address.ts';
import { compareVersions } from './office/office-answer.ts';
import { connectOffice } from './office/office-client.ts';
import type { DeskSettings } from './settings.ts';

/** Allows for typing errors by someone who knows the passphrase. */
const FREE_ATTEMPTS = 3;
const MAX_WAIT_SECONDS = 60;

export class DeskUnlocker {
  readonly #settings: DeskSettings;
  readonly #lock: DeskLock<DeskWork>;
  #isAtWork = false;
  #officeVersion: string | null = null;
  /** Public, so a locked desk may keep it. */
  #recipient: AgeRecipient | null = null;
  readonly #readSteadyClock: () => number;
  /** Wrong passphrases in the browser since the last right one. */
  #wrongCount = 0;
  #wrongAt = 0;

  /** The steady clock cannot be set. */
  constructor(
    settings: DeskSettings,
    lock: DeskLock<DeskWork>,
    readSteadyClock: () => number = () => performance.now(),
  ) {
    this.#settings = settings;
    this.#lock = lock;
    this.#readSteadyClock = readSteadyClock;
  }

  get versions(): string {
    const text = this.#officeVersion === null ? `desk ${VERSION}` : compareVersions(this.#officeVersion);
    return `${text.replace('desk', 'Desk')}.`;
  }

  async needsPassphrase(): Promise<boolean> {
    return await hasPassphrase(this.#settings.keyPath);
  }

  /** Seals text that was posted to a locked desk; it is offered again once the desk is unlocked. */
  async keepForm(form: CaseDraft): Promise<string | null> {
    if (this.#recipient === null)
      return 'the desk has not been unlocked since it started, so it does not know your key';
    const place = { recipient: this.#recipient, path: `${this.#settings.keyPath}.pins` };
    try {
      await saveUnsent(place, form);
      return null;
    } catch (error) {
      if (error instanceof ProgramError) return error.message;
      throw error;
    }
  }

  /** Rate-limited, because a stranger may be using the browser. The user of the terminal has the key file anyway. */
  async unlockInBrowser(passphrase: string): Promise<string | null> {
    const seconds = this.#computeWait();
    if (seconds > 0)
      return `Several wrong passphrases were tried. Try again in ${seconds} second${seconds === 1 ? '' : 's'}.`;
    const fault = await this.unlock(passphrase);
    if (fault === null) this.#wrongCount = 0;
    if (fault === WRONG_PASSPHRASE) {
      this.#wrongCount += 1;
      this.#wrongAt = this.#readSteadyClock();
    }
    return fault;
  }

  /** Seconds until the next attempt in the browser; it doubles with every wrong passphrase. */
  #computeWait(): number {
    if (this.#wrongCount < FREE_ATTEMPTS) return 0;
    const wait = Math.min(2 ** (this.#wrongCount - FREE_ATTEMPTS + 1), MAX_WAIT_SECONDS);
    return Math.max(0, Math.ceil(wait - (this.#readSteadyClock() - this.#wrongAt) / 1000));
  }

  /** Returns why it did not unlock, or null. Only one attempt at a time, because each takes a second of work. */
  async unlock(passphrase: string): Promise<string | null> {
    if (this.#isAtWork) return 'Another attempt is under way. Try again in a moment.';
    this.#isAtWork = true;
    const { orders } = this.#lock;
    try {
      const desk = await this.#openDesk(passphrase);
      if (this.#lock.orders === orders) {
        this.#lock.hold(desk);
        return null;
      }
      await desk.forget().catch(() => undefined);
      return 'The desk was locked in the meantime, so it stays locked.';
    } catch (error) {
      if (error instanceof ProgramError) return error.message;
      throw error;
    } finally {
      this.#isAtWork = false;
    }
  }

  async #openDesk(passphrase: string): Promise<DeskWork> {
    const { keyPath, address, trust, connect, outFolder, templatesFolder } = this.#settings;
    const identity = await readIdentity(keyPath, passphrase);
    const key = { identity, path: `${keyPath}.pins` };
    await deleteOldDrafts(key, Date.now());
    const office = await connectOffice({
      address,
      trust: await readOfficeTrust(trust),
      connect: connect ?? undefined,
      key,
    });
    try {
      const session = await office.signIn();
      this.#officeVersion = session.office.version;
      this.#recipient = await deriveRecipient(identity);
      const desk = new DeskWork({ office, outFolder, templatesFolder });
      await desk.offerUnsent();
      return desk;
    } catch (error) {
      office.close();
      throw error;
    }
  }
}
