/** Connects the desk to one office: everything that its pages ask goes through the object that is made here. */
import { deleteOldDrafts } from '#desk-program/keys/draft-file.ts';
import { FINDING_FIELDS } from '#desk-program/keys/merged-draft.ts';
import { savePeople } from '#desk-program/keys/people-file.ts';
import type { PinFile } from '#desk-program/keys/pin-file.ts';
import { isNewToKey, readSeenMarks, type SeenMarks } from '#desk-program/keys/seen-file.ts';
import { type Clock, systemClock } from '#platform/clock.ts';
import { type AgeRecipient, deriveRecipient } from '#seal/age.ts';
import { computeHolder } from '#seal/holder.ts';
import { type DeskCase, type DeskQueueQuery, DeskQueueSchema } from '#wire/desk-cases.ts';
import { type DeskNumbers, DeskNumbersSchema } from '#wire/desk-office.ts';
import type { DeskSession } from '#wire/desk-session.ts';
import { AuditReader } from './audit-reader.ts';
import { CaseDrafts } from './case-drafts.ts';
import { type CaseReaderParts, showOfficeCase } from './case-reader.ts';
import { type CaseWriterParts, postAct, sendCaseMessage, writeCaseNote } from './case-writer.ts';
import { type ContactReaderParts, createContactOffice } from './contact-reader.ts';
import { readPartBytes, streamCaseFile } from './file-reader.ts';
import { deliverCaseFinding } from './finding-sender.ts';
import { closeKnownCase, rememberCase } from './known-case.ts';
import { withLocalFaults } from './local-fault.ts';
import type { DeskOffice, DeskQueueEntry, OfficeQueue, OfficeSession } from './office.ts';
import type { OfficeAddress } from './office-address.ts';
import { parseOfficeAnswer } from './office-answer.ts';
import { createOfficeHttp } from './office-http.ts';
import { comparePeople, listKnownPeople, requireShownPeople } from './office-people.ts';
import { OfficeSigner, type SignerOptions } from './office-session.ts';
import { createOwnerOffice } from './owner-requests.ts';
import type { OfficeTrust, SocketTarget } from './secure-socket.ts';
import { generateSessionKey } from './session-key.ts';

export interface OfficeOptions {
  readonly address: OfficeAddress;
  readonly trust: OfficeTrust;
  /** Where the socket goes instead of the office's own host, such as the near end of a tunnel. */
  readonly connect?: SocketTarget | undefined;
  readonly key: PinFile;
  readonly clock?: Clock;
  /** How long an answer may take, from first to last. */
  readonly answerMs?: number;
}

/** Two hundred cases. */
const MAX_QUEUE_BYTES = 1024 * 1024;
const MAX_NUMBERS_BYTES = 16 * 1024;

/** Sends nothing yet. */
export async function connectOffice(options: OfficeOptions): Promise<DeskOffice> {
  const { address, key } = options;
  const { origin } = address;
  const state: { session: OfficeSession | null } = { session: null };
  const onSession = async (session: DeskSession) => {
    const { holder, people, office } = session;
    const peopleChange = await withLocalFaults(() => comparePeople(key, origin, session));
    const known = await withLocalFaults(() => listKnownPeople(key, origin, session));
    state.session = { holder, office, people, known, peopleChange };
  };
  await deleteOldDrafts(key, (options.clock ?? systemClock).now());
  const { signer, recipient, close } = await connectSigner(options, onSession);
  const parts = { signer, key, origin, holder: computeHolder(recipient), cases: new Map() };
  const letters = new Map();
  return createDeskOffice({ ...parts, letters }, state, close);
}

export interface ConnectedSigner {
  readonly signer: OfficeSigner;
  readonly recipient: AgeRecipient;
  readonly close: () => void;
}

/** For programs that need a session and keep nothing of what it says. */
export async function connectSigner(
  { address, clock = systemClock, ...options }: OfficeOptions,
  onSession: SignerOptions['onSession'] = async () => undefined,
): Promise<ConnectedSigner> {
  const { origin, apiPath, host, port } = address;
  const { identity } = options.key;
  const http = createOfficeHttp({ ...options, office: { host, port } });
  const recipient = await deriveRecipient(identity);
  const sessionKey = await generateSessionKey(() => clock.now());
  const parts = { http, origin, apiPath, sessionKey, identity, recipient, clock, onSession };
  return { signer: new OfficeSigner(parts), recipient, close: () => http.close() };
}

function createDeskOffice(
  parts: CaseWriterParts & ContactReaderParts,
  state: { session: OfficeSession | null },
  close: () => void,
): DeskOffice {
  const { signer, key, origin, holder } = parts;
  const audit = new AuditReader({ ...parts, listLivingCases: () => listLivingCases(parts) });
  const drafts = new CaseDrafts(key);
  const signIn = async (): Promise<OfficeSession> => {
    await signer.signIn();
    return state.session!;
  };
  return {
    origin,
    holder,
    get session() {
      return signer.hasEnded ? null : state.session;
    },
    signIn,
    signOut: async () => {
      parts.cases.clear();
      parts.letters.clear();
      await signer.signOut();
    },
    close,
    confirmPeople: async (shown) => {
      const session = state.session ?? (await signIn());
      requireShownPeople(session.people, shown);
      await withLocalFaults(() => savePeople(key, origin, session.people));
      state.session = { ...session, known: session.people, peopleChange: null };
    },
    ...createContactOffice(parts),
    readAudit: (before) => audit.read(before),
    acceptAudit: (shown) => audit.accept(shown),
    readQueue: (query = {}) => readOfficeQueue(parts, query),
    readNumbers: () => readOfficeNumbers(parts),
    readCase: async (id) => (await showOfficeCase(parts, id)).opened,
    closeCase: (id) => closeKnownCase(parts.cases, id),
    streamFile: (id, place) => streamCaseFile(parts, id, place),
    readPartBytes: (id, place) => readPartBytes(parts, id, place),
    // The draft is that of the finding, which a question does not end.
    sendMessage: (id, message) => sendCaseMessage(parts, id, message),
    addNote: (id, text) => writeCaseNote(parts, id, text),
    deliver: async (id, finding, onProgress = () => undefined) => {
      const delivered = await deliverCaseFinding(parts, id, finding, onProgress);
      await drafts.drop(id, FINDING_FIELDS);
      return delivered;
    },
    act: async (id, act) => {
      const changed = await postAct(parts, id, 'acts', { act });
      // What was typed here goes with the first step: nothing comes back later to delete it.
      if (changed === null || act === 'purge') await drafts.delete(id);
      // Nothing stays here either, but what the key alone can recognize: the words of the case may come back.
      if (changed === null) parts.cases.delete(id);
      return changed;
    },
    readDraft: (id) => drafts.read(id),
    saveDraft: (id, draft) => drafts.save(id, draft),
    dropDraft: (id, names) => drafts.drop(id, names),
    takeUnsent: () => drafts.takeUnsent(),
    ...createOwnerOffice(signer),
  };
}

export async function readOfficeQueue(
  { signer, key, cases }: CaseReaderParts,
  query: DeskQueueQuery,
): Promise<OfficeQueue> {
  const pairs = Object.entries(query).filter(([, value]) => value !== undefined);
  const search = new URLSearchParams(Object.fromEntries(pairs.map(([name, value]) => [name, String(value)])));
  const path = pairs.length === 0 ? '/cases' : `/cases?${search}`;
  const answer = await signer.send({ method: 'GET', path, maxBytes: MAX_QUEUE_BYTES });
  const queue = parseOfficeAnswer(DeskQueueSchema, answer);
  const marks = await withLocalFaults(() => readSeenMarks(key));
  for (const each of queue.cases) rememberCase(cases, each);
  return { ...queue, cases: queue.cases.map((each) => ({ ...each, news: findNews(marks, each) })) };
}

async function listLivingCases(parts: CaseWriterParts): Promise<ReadonlySet<string>> {
  const { cases } = await readOfficeQueue(parts, {});
  return new Set(cases.map(({ id }) => id));
}

async function readOfficeNumbers({ signer }: Pick<CaseWriterParts, 'signer'>): Promise<DeskNumbers> {
  const answer = await signer.send({ method: 'GET', path: '/numbers', maxBytes: MAX_NUMBERS_BYTES });
  return parseOfficeAnswer(DeskNumbersSchema, answer);
}

function findNews(marks: SeenMarks, { id, messages }: DeskCase): DeskQueueEntry['news'] {
  if (!isNewToKey(marks, id, messages.buyer)) return null;
  return marks.get(id) === undefined ? 'case' : 'answer';
}
