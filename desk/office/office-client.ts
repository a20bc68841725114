/** The client of one office: sends every request of the desk's pages and of commands that use a key. */
import type { DraftFields, DraftTimes } from '#desk/keys/draft-file.ts';
import type { DraftKind } from '#desk/keys/merged-draft.ts';
import { savePeople } from '#desk/keys/people-file.ts';
import type { PinFile } from '#desk/keys/pin-file.ts';
import type { UnsentDraft } from '#desk/keys/unsent-file.ts';
import { type Clock, systemClock } from '#platform/clock.ts';
import type { FilePlace } from '#seal/case/case-files.ts';
import { deriveRecipient } from '#seal/core/age.ts';
import type { SealedPlace } from '#seal/core/envelope.ts';
import { computeInvestigatorId } from '#seal/core/investigator-id.ts';
import type { OpenedSealedFile } from '#seal/files/sealed-file.ts';
import type { DeskActRequest, DeskCase, DeskCaseFile, DeskQueueQuery } from '#wire/desk-cases.ts';
import { type DeskAgentDecision, type DeskNumbers, DeskNumbersSchema } from '#wire/desk-lists.ts';
import type { DeskSession } from '#wire/desk-session.ts';
import { type DeskWeeks, DeskWeeksSchema } from '#wire/desk-weeks.ts';
import { AuditReader, type OfficeAudit } from './audit-reader.ts';
import { CaseDrafts } from './case-drafts.ts';
import { type DeskOpenedCase, fetchCaseFile, readOfficeCase } from './case-reader.ts';
import {
  type CaseWriterParts,
  type DeskMessage,
  postAct,
  sendCaseMessage,
  writeCaseNote,
} from './case-writer.ts';
import {
  type KnownMessages,
  type OfficeContact,
  type OpenedContact,
  openKnownMessage,
  readContactPage,
  resolveContactMessage,
} from './contact-reader.ts';
import { readPartBytes, streamCaseFile } from './file-reader.ts';
import { type DeliveryProgress, type DeskFinding, deliverCaseFinding } from './finding-sender.ts';
import { closeKnownCase } from './known-case.ts';
import type { OfficeAddress } from './office-address.ts';
import { withLocalFaults } from './office-fault.ts';
import { createHostileFault, createOfficeHttp } from './office-http.ts';
import {
  comparePeople,
  listKnownPeople,
  type OfficeSession,
  requireShownPeople,
  saveKnownPeople,
} from './office-people.ts';
import { OfficeSigner } from './office-session.ts';
import {
  type AgentList,
  type DeskAgent,
  type DeskOrder,
  listAgents,
  listOrders,
  postAgentDecision,
  postOrder,
} from './owner-requests.ts';
import { type OfficeQueue, readOfficeQueue } from './queue-reader.ts';
import { listRefunds, type OwedRefund, settleRefund } from './refund-reader.ts';
import type { OfficeTrust, SocketTarget } from './secure-socket.ts';
import { generateSessionKey } from './session-key.ts';

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
export type DeskOffice = Omit<OfficeClient, 'key' | 'signer' | 'remember' | 'readCaseFile'>;

const MAX_NUMBERS_BYTES = 16 * 1024;
const MAX_WEEKS_BYTES = 256 * 1024;

/** Sends nothing yet. */
export async function connectOffice({
  address,
  clock = systemClock,
  ...options
}: OfficeOptions): Promise<OfficeClient> {
  const { origin, apiPath, host, port } = address;
  const { identity } = options.key;
  const http = createOfficeHttp({ ...options, office: { host, port } });
  const recipient = await deriveRecipient(identity);
  const sessionKey = await generateSessionKey(() => clock.now());
  const office: OfficeClient = new OfficeClient({
    key: options.key,
    origin,
    holder: computeInvestigatorId(recipient),
    close: () => http.close(),
    signer: new OfficeSigner({
      http,
      origin,
      apiPath,
      sessionKey,
      identity,
      recipient,
      clock,
      onSession: (session) => office.remember(session),
    }),
  });
  return office;
}

/** Every fault is an `OfficeFault`. All methods but `signIn` sign in by themselves when no session is open. */
export class OfficeClient {
  /** The address that the desk was started with. */
  readonly origin: string;
  /** The hash of the investigator's public key. */
  readonly holder: string;
  readonly key: PinFile;
  /** For requests that only one command makes. */
  readonly signer: OfficeSigner;
  /** Closes the connections; no request is possible afterwards. */
  readonly close: () => void;
  readonly #parts: CaseWriterParts;
  readonly #contactMessages: KnownMessages = new Map();
  readonly #audit: AuditReader;
  readonly #drafts: CaseDrafts;
  #session: OfficeSession | null = null;

  constructor(parts: Omit<CaseWriterParts, 'cases'> & { readonly close: () => void }) {
    const { origin, holder, key, signer, close } = parts;
    this.origin = origin;
    this.holder = holder;
    this.key = key;
    this.signer = signer;
    this.close = close;
    this.#parts = { origin, holder, key, signer, cases: new Map() };
    const listLivingCases = async () => new Set((await this.readQueue()).cases.map(({ id }) => id));
    this.#audit = new AuditReader({ signer, key, origin, listLivingCases });
    this.#drafts = new CaseDrafts(key);
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
  async remember(session: DeskSession): Promise<void> {
    const { key, origin } = this;
    const { holder, people, office } = session;
    const recovery = computeInvestigatorId(session.recovery);
    const peopleChange = await withLocalFaults(() => comparePeople(key, origin, session));
    // A failure is ignored and the next sign-in retries: commands also work with a key in a read-only folder.
    if (peopleChange === null) await saveKnownPeople(key, origin, session).catch(() => undefined);
    const known = await withLocalFaults(() => listKnownPeople(key, origin, session));
    this.#session = { holder, office, people, recovery, known, peopleChange };
  }

  /** Forgets opened cases, then signs out within a few seconds; no request is possible afterwards. */
  async signOut(): Promise<void> {
    this.#parts.cases.clear();
    this.#contactMessages.clear();
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

  /** Counts of waiting items, without any content. */
  async readNumbers(): Promise<DeskNumbers> {
    return await this.signer.ask(DeskNumbersSchema, {
      method: 'GET',
      path: '/numbers',
      maxBytes: MAX_NUMBERS_BYTES,
    });
  }

  async readWeeks(): Promise<DeskWeeks> {
    const path = '/numbers/weeks';
    return await this.signer.ask(DeskWeeksSchema, { method: 'GET', path, maxBytes: MAX_WEEKS_BYTES });
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
    await this.#drafts.dropSent(id, 'markdown', finding.markdown);
    return delivered;
  }

  /** Null after `purge_now`: the case is gone. `to` is the colleague to whom a case is handed over. */
  async act(id: string, act: DeskActRequest['act'], to?: string): Promise<DeskCase | null> {
    const request: DeskActRequest = to === undefined ? { act } : { act, to };
    const changed = await postAct(this.#parts, id, 'acts', request);
    if (changed === null && act !== 'purge_now') throw createHostileFault('it says that the case is gone');
    // Deleted with the first step of a purge, because no code runs here later to delete typed text.
    if (changed === null || act === 'purge') await this.#drafts.delete(id);
    // Only data that is unreadable without the key remains: a case with the same words may come back.
    if (changed === null) this.#parts.cases.delete(id);
    return changed;
  }

  /** Drafts are sealed to the investigator's key; each case has at most one. Null without one. */
  async readDraft(id: string): Promise<DraftFields | null> {
    return await this.#drafts.read(id);
  }

  /** For every case that has a draft. */
  async readDraftTimes(): Promise<DraftTimes> {
    return await this.#drafts.readTimes();
  }

  /** Merges with `mergeDraft`: missing fields are preserved; empty ones are removed. */
  async saveDraft(id: string, draft: DraftFields): Promise<void> {
    await this.#drafts.save(id, draft);
  }

  /** Saves an answer before it is taken back; a draft that was begun meanwhile is preserved. */
  async saveGiven(id: string, kind: DraftKind, given: DraftFields): Promise<void> {
    await this.#drafts.saveGiven(id, kind, given);
  }

  async dropDraft(id: string, names: readonly string[]): Promise<void> {
    await this.#drafts.drop(id, names);
  }

  /** Removes the sent text from the draft, unless it was changed meanwhile. */
  async dropSent(id: string, kind: DraftKind, sent: string): Promise<void> {
    await this.#drafts.dropSent(id, kind, sent);
  }

  /** Texts that were posted while the desk was locked, and are now part of the drafts. */
  async takeUnsent(): Promise<readonly Pick<UnsentDraft, 'caseId' | 'fields'>[]> {
    return await this.#drafts.takeUnsent();
  }

  /** Contact messages that wait, the oldest first; `after` continues a list. */
  async readContact(after?: string): Promise<OfficeContact> {
    return await readContactPage(this.signer, this.#contactMessages, after);
  }

  /** Opens a message of a list with the investigator's key. */
  async openContact(id: string): Promise<OpenedContact> {
    return await openKnownMessage(this.key, this.#contactMessages, id);
  }

  /** Afterwards the message no longer waits, and is purged earlier. */
  async resolveContact(id: string): Promise<void> {
    await resolveContactMessage(this.signer, id);
    this.#contactMessages.delete(id);
  }

  /** The newest first, or those before a number; the chain is checked up to its end. */
  async readAudit(before?: number): Promise<OfficeAudit> {
    return await this.#audit.read(before);
  }

  /** Called if the investigator knows why the log has changed. `shown` is the head that was on the page. */
  async acceptAudit(shown: string): Promise<void> {
    await this.#audit.accept(shown);
  }

  /** Payments of declined cases that are to be paid back. */
  async listRefunds(): Promise<readonly OwedRefund[]> {
    return await listRefunds(this.signer, this.key);
  }

  async settleRefund(id: string): Promise<void> {
    await settleRefund(this.signer, id);
  }

  /** Orders to review, the oldest day first. None leads to a case. For owners only, like all methods below. */
  async listOrders(): Promise<readonly DeskOrder[]> {
    return await listOrders(this.signer);
  }

  /** Marks a quarantined or disputed order as reviewed; it is listed again when its payment changes. */
  async markOrderDone(id: string): Promise<void> {
    await postOrder(this.signer, id, 'done');
  }

  /** Releases an order that a restore has put on hold, so that it can be used for its inquiry. */
  async releaseOrder(id: string): Promise<void> {
    await postOrder(this.signer, id, 'release');
  }

  async listAgents(): Promise<AgentList> {
    return await listAgents(this.signer);
  }

  /** Takes effect at once; returns the agent as it is then. */
  async decideAgent(id: string, decision: DeskAgentDecision): Promise<DeskAgent> {
    return await postAgentDecision(this.signer, id, decision);
  }
}
