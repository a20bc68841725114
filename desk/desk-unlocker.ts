/** Unlocks the desk: opens the key, signs in at the office, and hands over what the pages work with. */
import { VERSION } from '#platform/version.ts';
import { KeyFault } from './keys/key-fault.ts';
import { hasPassphrase, readIdentity } from './keys/key-file.ts';
import type { DeskLock } from './loopback/desk-lock.ts';
import { DeskWork } from './model/desk-work.ts';
import { connectOffice } from './office/connect.ts';
import { OfficeFault } from './office/office.ts';
import { readOfficeTrust } from './office/reach-options.ts';
import type { DeskSettings } from './settings.ts';

export class DeskUnlocker {
  readonly #settings: DeskSettings;
  readonly #lock: DeskLock<DeskWork>;
  #isAtWork = false;
  #officeVersion: string | null = null;

  constructor(settings: DeskSettings, lock: DeskLock<DeskWork>) {
    this.#settings = settings;
    this.#lock = lock;
  }

  get versions(): string {
    const office = this.#officeVersion === null ? '' : `, office ${this.#officeVersion}`;
    return `Desk ${VERSION}${office}.`;
  }

  async needsPassphrase(): Promise<boolean> {
    return await hasPassphrase(this.#settings.keyPath);
  }

  /** Returns what to tell the investigator if it did not unlock. One attempt at a time: each takes a second of work. */
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
      return 'The desk was told to lock meanwhile, so it stays locked.';
    } catch (error) {
      if (error instanceof OfficeFault || error instanceof KeyFault) return error.message;
      throw error;
    } finally {
      this.#isAtWork = false;
    }
  }

  async #openDesk(passphrase: string): Promise<DeskWork> {
    const { keyPath, address, trust, connect, outFolder, templatesFolder } = this.#settings;
    const identity = await readIdentity(keyPath, passphrase);
    const office = await connectOffice({
      address,
      trust: await readOfficeTrust(trust),
      connect: connect ?? undefined,
      key: { identity, path: `${keyPath}.pins` },
    });
    try {
      const session = await office.signIn();
      this.#officeVersion = session.office.version;
      return new DeskWork({ office, outFolder, templatesFolder });
    } catch (error) {
      office.close();
      throw error;
    }
  }
}
