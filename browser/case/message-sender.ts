/** Seals the buyer's next message and sends its files; trying again sends the same bytes under the same number. */
import { base64urlnopad } from '@scure/base';
import { SealedUploads } from '#browser/files/sealed-uploads.ts';
import { computeSealedFilesSize, createProgressMeter, sendFiles } from '#browser/files/send-files.ts';
import type { ProgressCallback } from '#browser/rpc/jobs.ts';
import { type CaseMessage, toMessageFileSeq } from '#seal/case/message.ts';
import { sealCaseMessage } from '#seal/case/sealed-message.ts';
import { computeNextSeq, type ThreadPart } from '#seal/case/thread.ts';
import type { CaseKey } from '#seal/core/case-key.ts';
import { LOOKUP_TOKEN_HEADER, SEALED_CASE_PATHS } from '#wire/case-page.ts';
import type { CaseMessageRequest } from '#wire/case-requests.ts';

export interface MessageDraft {
  readonly message: CaseMessage;
  readonly files: readonly File[];
  readonly asEvidence: boolean;
  /** The number of the desk's messages that the page showed. */
  readonly seen: number;
}

export interface MessageContext {
  readonly lookupToken: string;
  readonly key: CaseKey;
  readonly messages: readonly ThreadPart[];
}

type SealedMessage = Pick<CaseMessageRequest, 'seq' | 'sealed' | 'call' | 'files'>;

export class MessageSender {
  readonly #uploads = new SealedUploads();
  /** The message that has no response yet, and the text that it was made from. */
  #pending: { readonly text: string; readonly request: SealedMessage } | null = null;

  /** Resolves once its files have arrived. */
  async prepareMessage(
    context: MessageContext,
    draft: MessageDraft,
    progress: ProgressCallback,
  ): Promise<SealedMessage> {
    const { message, files } = draft;
    const text = JSON.stringify([message, files.map(({ lastModified }) => lastModified)]);
    if (this.#pending?.text !== text)
      this.#pending = { text, request: await this.#sealMessage(context, draft, progress) };
    return this.#pending.request;
  }

  discardPending(): void {
    this.#pending = null;
  }

  /** Called when the service has deleted the uploads. */
  discardUploads(): void {
    this.#uploads.discardAll();
  }

  async #sealMessage(
    { lookupToken, key, messages }: MessageContext,
    { message, seen, ...chosen }: MessageDraft,
    progress: ProgressCallback,
  ): Promise<SealedMessage> {
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
}
