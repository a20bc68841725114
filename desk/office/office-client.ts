/** The client of one office: sends every request of the desk and of commands that use a key, and keeps the drafts. */
import type { PinFile } from '#desk/keys/pin-file.ts';
import { type Clock, systemClock } from '#platform/clock.ts';
import type { FilePlace } from '#seal/case/case-files.ts';
import { deriveRecipient } from '#seal/core/age.ts';
import type { SealedPlace } from '#seal/core/envelope.ts';
import { computeInvestigatorId } from '#seal/core/investigator-id.ts';
import type { OpenedSealedFile } from '#seal/files/sealed-file.ts';
import type { DeskActRequest, DeskCase, DeskCaseFile, DeskQueueQuery } from '#wire/desk-cases.ts';
import { type DeskNumbers, DeskNumbersSchema, type DeskWeeks, DeskWeeksSchema } from '#wire/desk-lists.ts';
import type { DeskSession } from '#wire/desk-session.ts';
import { AuditReader } from './audit-reader.ts';
import { CaseDrafts } from './case-drafts.ts';
import { type DeskOpenedCase, fetchCaseFile, readOfficeCase } from './case-reader.ts';
import {
  type CaseWriterParts,
  type DeskMessage,
  postAct,
  sendCaseMessage,
  writeCaseNote,
} from './case-writer.ts';
import { ContactReader } from './contact-reader.ts';
import { readPartBytes, streamCaseFile } from './file-reader.ts';
import { type DeliveryProgress, type DeskFinding, deliverCaseFinding } from './finding-sender.ts';
import { closeKnownCase } from './known-case.ts';
import type { OfficeAddress } from './office-address.ts';
import { withLocalFaults } from './office-fault.ts';
import { createHostileFault, createOfficeHttp } from './office-http.ts';
import { type OfficeSession, requireShownPeople, reviewPeople, savePeople } from './office-people.ts';
import { generateSessionKey, OfficeSigner, type SignerOptions } from './office-session.ts';
import { type OfficeQueue, readOfficeQueue } from './queue-reader.ts';
import type { OfficeTrust, SocketTarget } from './secure-socket.ts';
import { WaitingLists } from './waiting-lists.ts';

export interface OfficeOptions {
  readonly address: OfficeAddress;
  readonly trust: OfficeTrust;
  /** Where the socket connects instead of the office's own host, such as the near end of a tunnel. */
  readonly connect?: SocketTarget | undefined;
  readonly key: PinFile;
  readonly clock?: Clock;
  /** How long a whole answer may take. */
  readonly answerMs?: number;
}

/** The part of the client that pages use. */
export type DeskOffice = Omit<OfficeClient, 'key' | 'signer' | 'readCaseFile'>;

const MAX_NUMBERS_BYTES = 16 * 1024;
const MAX_WEEKS_BYTES = 256 * 1024;

/** Sends nothing yet. */
export async function connectOffice(options: OfficeOptions): Promise<OfficeClient> {
  const { address, clock = systemClock, key } = options;
  const recipient = await deriveRecipient(key.identity);
  return new OfficeClient(options, {
    http: createOfficeHttp({ ...options, office: { host: address.host, port: address.port } }),
    identity: key.identity,
    recipient,
    sessionKey: await generateSessionKey(),
    clock,
  });
}

type SessionParts = Omit<SignerOptions, 'origin' | 'apiPath' | 'onSession'>;

/** Every fault is an `OfficeFault`. All methods but `signIn` sign in by themselves when no session is open. */
export class OfficeClient {
  /** The address that the desk was started with. */
  readonly origin: string;
  /** The hash of the investigator's public key. */
  readonly holder: string;
  readonly key: PinFile;
  /** For requests that only one command makes. */
  readonly signer: OfficeSigner;
  readonly audit: AuditReader;
  readonly contact: ContactReader;
  readonly drafts: CaseDrafts;
  readonly lists: WaitingLists;
  /** Closes the connections; no request is possible afterwards. */
  readonly close: () => void;
  readonly #parts: CaseWriterParts;
  #session: OfficeSession | null = null;

  constructor({ address, key }: OfficeOptions, parts: SessionParts) {
    const { origin, apiPath } = address;
    const signer = new OfficeSigner({
      ...parts,
      origin,
      apiPath,
      onSession: (session) => this.#remember(session),
    });
    this.origin = origin;
    this.holder = computeInvestigatorId(parts.recipient);
    this.key = key;
    this.signer = signer;
    const listLivingCases = async () => new Set((await this.readQueue()).cases.map(({ id }) => id));
    this.audit = new AuditReader({ signer, key, origin, listLivingCases });
    this.contact = new ContactReader(signer, key);
    this.drafts = new CaseDrafts(key);
    this.lists = new WaitingLists(signer, key);
    this.close = parts.http.close;
    this.#parts = { origin, holder: this.holder, key, signer, cases: new Map() };
  }

  /** Null before the first sign-in and after signing out. */
  get session(): OfficeSession | null {
    return this.signer.hasEnded ? null : this.#session;
  }

  async signIn(): Promise<OfficeSession> {
    await this.signer.signIn();
    return this.#session!;
  }

  /** Called for every new session, also for one that replaces another. */
  async #remember(session: DeskSession): Promise<void> {
    const { holder, people, office } = session;
    const recovery = computeInvestigatorId(session.recovery);
    const reviewed = await withLocalFaults(() => reviewPeople(this.key, this.origin, session));
    this.#session = { holder, office, people, recovery, ...reviewed };
  }

  /** Forgets opened cases, then signs out within a few seconds; no request is possible afterwards. */
  async signOut(): Promise<void> {
    this.#parts.cases.clear();
    this.contact.forget();
    await this.signer.signOut();
  }

  /** The investigator accepts the people: `shown` is what the page listed, in the form of `listShownPeople`. */
  async confirmPeople(shown: readonly string[]): Promise<void> {
    const session = this.#session ?? (await this.signIn());
    requireShownPeople(session, shown);
    await withLocalFaults(() => savePeople(this.key, this.origin, session));
    this.#session = { ...session, known: session.people, peopleChange: null };
  }

  async readQueue(query: DeskQueueQuery = {}): Promise<OfficeQueue> {
    return await readOfficeQueue(this.#parts, query);
  }

  async readNumbers(): Promise<DeskNumbers> {
    return await this.signer.read(DeskNumbersSchema, '/numbers', MAX_NUMBERS_BYTES);
  }

  async readWeeks(): Promise<DeskWeeks> {
    return await this.signer.read(DeskWeeksSchema, '/numbers/weeks', MAX_WEEKS_BYTES);
  }

  /** Opens the case with the investigator's key and checks the pin. `marksSeen`: it is no longer new to this key. */
  async readCase(id: string, { marksSeen = true } = {}): Promise<DeskOpenedCase> {
    return (await readOfficeCase(this.#parts, id, { marksSeen })).opened;
  }

  /** The case as received, still sealed. */
  async readCaseFile(id: string): Promise<DeskCaseFile> {
    return await fetchCaseFile(this.#parts, id);
  }

  /** Forgets its key and its text until it is read again. */
  closeCase(id: string): void {
    closeKnownCase(this.#parts.cases, id);
  }

  /** Nothing of `content` may be used before the stream has ended: it fails at the end unless all is genuine. */
  async streamFile(id: string, place: FilePlace): Promise<OpenedSealedFile> {
    return await streamCaseFile(this.#parts, id, place);
  }

  /** The bytes of a part that is not shown, in whatever form it was sealed. */
  async readPartBytes(id: string, place: SealedPlace): Promise<Uint8Array> {
    return await readPartBytes(this.#parts, id, place);
  }

  /** Seals a message to the buyer. Refused with `case_changed` if there is more than `seen`. */
  async sendMessage(id: string, message: DeskMessage): Promise<DeskCase> {
    return await sendCaseMessage(this.#parts, id, message);
  }

  /** Seals a note to the people of the desk only. Refused with `people_changed` until their change is confirmed. */
  async addNote(id: string, text: string): Promise<DeskCase> {
    return await writeCaseNote(this.#parts, id, text);
  }

  async deliver(
    id: string,
    finding: DeskFinding,
    onProgress: (sent: DeliveryProgress) => void = () => undefined,
  ): Promise<DeskCase> {
    const delivered = await deliverCaseFinding(this.#parts, id, finding, onProgress);
    await this.drafts.dropSent(id, 'markdown', finding.markdown);
    return delivered;
  }

  /** Null after `purge_now`: the case is gone. `to` is the colleague to whom a case is handed over. */
  async act(id: string, act: DeskActRequest['act'], to?: string): Promise<DeskCase | null> {
    const request: DeskActRequest = to === undefined ? { act } : { act, to };
    const changed = await postAct(this.#parts, id, 'acts', request);
    if (changed === null && act !== 'purge_now') throw createHostileFault('it says that the case is gone');
    // Deleted with the first step of a purge, because no code runs here later to delete typed text.
    if (changed === null || act === 'purge') await this.drafts.delete(id);
    // Only data that is unreadable without the key remains: a case with the same words may come back.
    if (changed === null) this.#parts.cases.delete(id);
    return changed;
  }
}
