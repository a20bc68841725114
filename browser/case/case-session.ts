/** The case that the page has opened: its keys stay in the worker, which opens and seals with them. */
import { base64urlnopad } from '@scure/base';
import { SealedUploads } from '#browser/files/sealed-uploads.ts';
import {
  computeSealedFilesSize,
  createProgressMeter,
  listEmptyFileFaults,
  sendFiles,
} from '#browser/files/send-files.ts';
import { isErrorWithCode, UserFacingError, type UserFacingErrorData } from '#browser/rpc/fault.ts';
import type { FormEntry, ProgressCallback } from '#browser/rpc/jobs.ts';
import { createJsonRequest, sendRequest, sendRequestWithRetry } from '#browser/rpc/service-requests.ts';
import { deriveEnteredWordLookup } from '#browser/workers/word-keys.ts';
import type { ShownTime } from '#language/timed-text.ts';
import { buildCallPlan, type CallPlan } from '#seal/case/call-plan.ts';
import { buildCaseContent, type OpenedObject } from '#seal/case/case-content.ts';
import { listCaseDifferences } from '#seal/case/case-differences.ts';
import type { CaseFile } from '#seal/case/case-files.ts';
import { type CaseMessage, toMessageFileSeq, validateCaseMessage } from '#seal/case/message.ts';
import { isGenuinePart } from '#seal/case/opened-part.ts';
import { sealCaseMessage } from '#seal/case/sealed-message.ts';
import { computeNextSeq, type ThreadPart } from '#seal/case/thread.ts';
import { type CaseKey, computeKeyFingerprint, openCaseKey } from '#seal/core/case-key.ts';
import { awaitOrNull } from '#seal/core/seal-error.ts';
import type { UnsaidText } from '#seal/core/unsaid-text.ts';
import type { AttachedFileFacts } from '#seal/files/attached-file.ts';
import { type FormFault, isTicked } from '#seal/form/form-fields.ts';
import { KEEP_EVIDENCE_CONTROL } from '#seal/form/inquiry-sections.ts';
import { readMessageFromForm, toMessageFormFaults } from '#seal/form/message-form.ts';
import { LOOKUP_TOKEN_HEADER, SEALED_CASE_PATHS } from '#wire/case-page.ts';
import type {
  CaseFileRequest,
  CaseLookupRequest,
  CaseMessageRequest,
  CaseOverview,
  CaseReadRequest,
  SealedCaseAnswer,
} from '#wire/case-requests.ts';
import { WORDS_FIELD } from '#wire/page-parts.ts';
import { type DownloadedFile, openFileResponse } from './case-files.ts';
import { decodeSealedBase64url, openAnsweredObjects, toContentView } from './content-view.ts';

/** The opened case, ready to show. */
export interface BrowserCaseView extends CaseOverview, ReturnType<typeof toContentView> {
  readonly call: CallPlan;
  /** Where the service's data differs from what the desk has sealed. */
  readonly differences: readonly UnsaidText[];
  /** The fingerprint of the case key; null if the key cannot be read. */
  readonly fingerprint: string | null;
}

/** An action with a form of its own, and what its request has besides the case. */
export type CaseAct =
  | { readonly form: 'keep'; readonly keep_days: number }
  | { readonly form: 'notify'; readonly address: string }
  | { readonly form: 'silence' | 'withdraw' };

/** The case after an action, and why the action was refused, if it was. */
export interface CaseActionResult {
  readonly opened: BrowserCaseView;
  readonly refused: UserFacingErrorData | null;
}

export interface MessageInput {
  readonly fields: readonly FormEntry[];
  readonly files: readonly File[];
  /** The number of the desk's messages that the page showed. */
  readonly seen: number;
}

interface MessageDraft extends Omit<MessageInput, 'fields'> {
  readonly message: CaseMessage;
  readonly asEvidence: boolean;
}

type SealedMessage = Pick<CaseMessageRequest, 'seq' | 'sealed' | 'call' | 'files'>;

interface OpenCase {
  readonly lookupToken: string;
  readonly key: Promise<CaseKey>;
}

/** The opened objects that the service has sent so far; without a cursor it sends everything again. */
interface KnownObjects {
  readonly cursor: string | null;
  readonly opened: readonly OpenedObject<ShownTime>[];
}

const NOTHING_KNOWN: KnownObjects = { cursor: null, opened: [] };

export class CaseOpener {
  #case: OpenCase | null = null;
  /** The messages as last fetched; the page may not have shown all of them. */
  #messages: readonly ThreadPart[] = [];
  /** Its cursor is sent with every request, so that the service leaves out what has been opened already. */
  #known: KnownObjects = NOTHING_KNOWN;
  readonly #uploads = new SealedUploads();
  /** The message that has no response yet, and the text that it was made from: trying again sends the same bytes. */
  #pending: { readonly text: string; readonly request: SealedMessage } | null = null;
  /** Counts the requests, so that a response overtaken by a later one is ignored. */
  #asked = 0;
  #answered = 0;

  async openCase(words: string): Promise<BrowserCaseView> {
    const { lookupHash, lookupToken, identity } = deriveEnteredWordLookup(words);
    const sealedCase = await fetchSealedCase(lookupToken);
    const key = Promise.resolve(sealedCase.case_key).then((text) =>
      openCaseKey(decodeSealedBase64url(text), identity, lookupHash),
    );
    this.#case = { lookupToken, key };
    return await this.#openSealedCase(sealedCase, this.#case, { known: NOTHING_KNOWN, turn: 0 });
  }

  isOpenedBy(words: string): boolean {
    return deriveEnteredWordLookup(words).lookupToken === this.#currentCase.lookupToken;
  }

  /** Uses a path with its own rate limit, so that pages that only wait do not block buyers who open their case. */
  async lookForNews(): Promise<BrowserCaseView> {
    return await this.#readCase((read) => sendRequest(SEALED_CASE_PATHS.news, createJsonRequest(read)));
  }

  /** If the `seq` was taken meanwhile, reloads and retries once; `seen` still says what the person has read. */
  async sendMessage(
    { fields, files, seen }: MessageInput,
    progress: ProgressCallback,
  ): Promise<CaseActionResult | { readonly faults: readonly FormFault[] }> {
    const form = new Map(fields);
    const asEvidence = isTicked(form, KEEP_EVIDENCE_CONTROL);
    const faults = listEmptyFileFaults(files);
    const read = readMessageFromForm(form, toFileFacts(files, asEvidence));
    const checked = validateCaseMessage(read, { now: Date.now() });
    if ('errors' in checked) faults.push(...toMessageFormFaults(checked.errors, form));
    if ('errors' in checked || faults.length > 0) return { faults };
    const draft = { message: checked.message, files, asEvidence, seen };
    return await this.#withRefusal(async () => {
      try {
        return await this.#sendSealedMessage(draft, progress);
      } catch (error) {
        const isDeleted = isErrorWithCode(error, 'upload_incomplete');
        if (!isDeleted && !isErrorWithCode(error, 'case_changed')) throw error;
        if (isDeleted) this.#uploads.discardAll();
        this.#pending = null;
        await this.#reloadCase();
        return await this.#sendSealedMessage(draft, progress);
      }
    });
  }

  /** All these requests are idempotent; each is answered with the current case. */
  async act({ form, ...more }: CaseAct): Promise<CaseActionResult> {
    return await this.#withRefusal(() =>
      this.#readCase((read) =>
        sendRequestWithRetry(SEALED_CASE_PATHS[form], createJsonRequest({ ...read, ...more })),
      ),
    );
  }

  /** A case that is already purged counts as success: the response to an earlier attempt may have been lost. */
  async purgeCase(): Promise<null> {
    try {
      const lookup = { lookup_token: this.#currentCase.lookupToken } satisfies CaseLookupRequest;
      await sendRequestWithRetry(SEALED_CASE_PATHS.purge, createJsonRequest(lookup));
    } catch (error) {
      if (!isErrorWithCode(error, 'case_purged')) throw error;
    }
    return null;
  }

  async downloadFile(
    file: CaseFile,
    progress: ProgressCallback,
    send = sendRequest,
  ): Promise<DownloadedFile> {
    const { lookupToken, key } = this.#currentCase;
    const place = { kind: file.kind, seq: file.seq };
    const response = await send(
      SEALED_CASE_PATHS.file,
      createJsonRequest({ lookup_token: lookupToken, ...place } satisfies CaseFileRequest),
    );
    return await openFileResponse(await key, file, response, progress);
  }

  get #currentCase(): OpenCase {
    if (!this.#case) throw new Error('no case is open');
    return this.#case;
  }

  async #sendSealedMessage(draft: MessageDraft, progress: ProgressCallback): Promise<BrowserCaseView> {
    const { message, files } = draft;
    const text = JSON.stringify([message, files.map(({ lastModified }) => lastModified)]);
    if (this.#pending?.text !== text)
      this.#pending = { text, request: await this.#sealMessage(draft, progress) };
    const { request } = this.#pending;
    const onWaiting = files.length > 0 ? () => progress(1, true) : undefined;
    const opened = await this.#readCase((read) =>
      sendRequestWithRetry(SEALED_CASE_PATHS.message, {
        ...createJsonRequest({ ...read, ...request } satisfies CaseMessageRequest),
        onWaiting,
      }),
    );
    this.#pending = null;
    return opened;
  }

  /** Resolves once the files of the message have arrived. */
  async #sealMessage(
    { message, seen, ...chosen }: MessageDraft,
    progress: ProgressCallback,
  ): Promise<SealedMessage> {
    const { lookupToken, key: opening } = this.#currentCase;
    const key = await opening;
    const messages = this.#messages;
    const next = computeNextSeq(messages, 'buyer');
    const toPlace = (index: number) =>
      ({ kind: 'buyer-message-file.v1', seq: toMessageFileSeq(next, index) }) as const;
    const placed = { key, toPlace, ...chosen };
    const target = { path: SEALED_CASE_PATHS.uploads, headers: { [LOOKUP_TOKEN_HEADER]: lookupToken } };
    const meter = createProgressMeter(computeSealedFilesSize(placed), progress);
    const files = await sendFiles(this.#uploads, placed, target, meter);
    const { seq, sealed } = await sealCaseMessage(key, messages, { by: 'buyer', message, seen });
    const call = message.call_windows.length > 0;
    return { seq, sealed: base64urlnopad.encode(sealed), call, ...(files.length > 0 ? { files } : {}) };
  }

  /** If the case no longer allows the action, returns the reason with the reloaded case. */
  async #withRefusal(action: () => Promise<BrowserCaseView>): Promise<CaseActionResult> {
    try {
      return { opened: await action(), refused: null };
    } catch (error) {
      if (!isErrorWithCode(error, 'case_state') && !isErrorWithCode(error, 'case_changed')) throw error;
      return { opened: await this.#reloadCase(), refused: error.data };
    }
  }

  async #reloadCase(): Promise<BrowserCaseView> {
    return await this.#readCase((read) => sendRequest(SEALED_CASE_PATHS.open, createJsonRequest(read)));
  }

  async #readCase(send: (read: CaseReadRequest) => Promise<Response>): Promise<BrowserCaseView> {
    // Read before sending: meanwhile another response may bring a newer cursor, or other words may open another case.
    const asked = this.#currentCase;
    const known = this.#known;
    this.#asked += 1;
    const turn = this.#asked;
    const after = known.cursor && { after: known.cursor };
    const response = await send({ lookup_token: asked.lookupToken, ...after });
    const answer = await fetchRest(asked.lookupToken, response);
    return await this.#openSealedCase(answer, asked, { known, turn });
  }

  async #openSealedCase(
    { case_key: all, objects, cursor, more: _more, ...view }: SealedCaseAnswer,
    asked: OpenCase,
    { known, turn }: { readonly known: KnownObjects; readonly turn: number },
  ): Promise<BrowserCaseView> {
    const { key } = asked;
    const before = all === undefined ? known.opened : [];
    const opened = [...before, ...(await openAnsweredObjects(key, objects))];
    // If a part is unreadable, everything is requested again: it may have been damaged in transit.
    const isReadable = opened.every(({ part }) => isGenuinePart(part));
    const content = buildCaseContent(opened);
    if (this.#case === asked && turn >= this.#answered) {
      this.#answered = turn;
      this.#known = isReadable ? { cursor, opened } : NOTHING_KNOWN;
      this.#messages = content.messages;
    }
    const caseKey = await awaitOrNull(key);
    // Without the key no message can be sealed.
    const may = {
      ...view.may,
      write: view.may.write && caseKey !== null,
      call: view.may.call && caseKey !== null,
    };
    const fingerprint = caseKey && computeKeyFingerprint(caseKey.recipient);
    const call = buildCallPlan(content, view.call_booked);
    const differences = listCaseDifferences(content, view).map(({ said }) => said);
    return { ...view, fingerprint, may, call, differences, ...toContentView(content) };
  }
}

function toFileFacts(files: readonly File[], asEvidence: boolean): AttachedFileFacts[] {
  return files.map(({ name, type, size }) => ({ name, mime: type, size, kept_as_evidence: asEvidence }));
}

async function fetchSealedCase(lookupToken: string): Promise<SealedCaseAnswer> {
  try {
    const response = await sendRequest(
      SEALED_CASE_PATHS.open,
      createJsonRequest({ lookup_token: lookupToken } satisfies CaseLookupRequest),
    );
    return await fetchRest(lookupToken, response);
  } catch (error) {
    const isUnknown = isErrorWithCode(error, 'case_unknown');
    // The service does not know about words, so its own message would not help the buyer.
    throw isUnknown ? new UserFacingError({ code: 'case_unknown', field: WORDS_FIELD }) : error;
  }
}

/** A long case arrives in several responses; returns them as one. */
async function fetchRest(lookupToken: string, response: Response): Promise<SealedCaseAnswer> {
  let all = (await response.json()) as SealedCaseAnswer;
  while (all.more) {
    const read = { lookup_token: lookupToken, after: all.cursor } satisfies CaseReadRequest;
    const rest = await sendRequestWithRetry(SEALED_CASE_PATHS.news, createJsonRequest(read));
    const next = (await rest.json()) as SealedCaseAnswer;
    // A response with the key starts over: something before the cursor was added or removed.
    all = next.case_key ? next : { ...all, ...next, objects: [...all.objects, ...next.objects] };
  }
  return all;
}
