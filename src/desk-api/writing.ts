/** Changes to a case over HTTP by investigators: sealed messages, notes and findings, and acts that seal nothing. */
import { deliverSealedFinding, toDeliveryUploader } from '#cases/delivery.ts';
import { bareActs } from '#cases/desk/desk-acts.ts';
import { requireSealedUpload } from '#cases/intake/uploads.ts';
import { addCaseMessage, type SealedMessage } from '#cases/messages/messages.ts';
import { addCaseNote } from '#cases/messages/notes.ts';
import { ServiceError } from '#platform/errors.ts';
import type { App } from '#platform/http/app.ts';
import { countRecipients } from '#seal/core/age.ts';
import type { Case } from '#store/cases/cases.ts';
import {
  type DeskActRequest,
  DeskActRequestSchema,
  type DeskFindingRequest,
  DeskFindingRequestSchema,
  type DeskMessageRequest,
  DeskMessageRequestSchema,
  DeskNoteRequestSchema,
} from '#wire/desk-cases.ts';
import { KEEP_DAYS } from '#wire/keep-days.ts';
import { DESK_CASE_PATH, type DeskCaseParams, describeActResult } from './case-view.ts';
import type { DeskServices } from './desk-services.ts';
import { isOwner, requireInvestigator } from './guard.ts';

/** Fits the longest message or note in 4-byte characters, padded and sealed to many, as base64url. */
const MESSAGE_BYTES = 512 * 1024;
/** Fits the longest text of a finding, and the list of its files. */
const FINDING_BYTES = 512 * 1024;

/** Fits a refund that is sealed to a hundred people. */
const REFUND_BYTES = 256 * 1024;

export function addDeskWritingRoutes(scope: App, services: DeskServices): void {
  scope.post<{ Params: DeskCaseParams; Body: DeskMessageRequest }>(
    `${DESK_CASE_PATH}/messages`,
    { config: { access: 'desk' }, bodyLimit: MESSAGE_BYTES, schema: { body: DeskMessageRequestSchema } },
    async (request) => {
      const investigator = requireInvestigator(request);
      const message = toSealedMessage(request.body);
      const changed = await addCaseMessage(services, request.params.case, {
        ...message,
        investigator: investigator.holder,
        undoMs: services.undoMs,
      });
      return await describeActResult(services, changed, investigator);
    },
  );
  scope.post<{ Params: DeskCaseParams; Body: { seq: number; sealed: string } }>(
    `${DESK_CASE_PATH}/notes`,
    { config: { access: 'desk' }, bodyLimit: MESSAGE_BYTES, schema: { body: DeskNoteRequestSchema } },
    async (request) => {
      const investigator = requireInvestigator(request);
      const { seq, sealed } = request.body;
      const note = { seq, sealed: Buffer.from(sealed, 'base64url'), by: investigator.holder };
      const changed = await addCaseNote(services, request.params.case, note);
      return await describeActResult(services, changed, investigator);
    },
  );
  scope.post<{ Params: DeskCaseParams; Body: DeskFindingRequest }>(
    `${DESK_CASE_PATH}/finding`,
    { config: { access: 'desk' }, bodyLimit: FINDING_BYTES, schema: { body: DeskFindingRequestSchema } },
    async (request) => {
      const investigator = requireInvestigator(request);
      const changed = await deliverFinding(services, request.params.case, request.body, investigator.holder);
      return await describeActResult(services, changed, investigator);
    },
  );
  scope.post<{ Params: DeskCaseParams; Body: DeskActRequest }>(
    `${DESK_CASE_PATH}/acts`,
    { config: { access: 'desk' }, schema: { body: DeskActRequestSchema } },
    async (request) => {
      const investigator = requireInvestigator(request);
      const { act, to } = request.body;
      if (act === 'purge_now' && !isOwner(investigator)) throw new ServiceError('owner_only');
      const colleague = (await services.deskPeople()).find(({ holder }) => holder === to);
      if ((act === 'hand_over') !== (colleague !== undefined))
        throw new ServiceError('validation_failed', {
          errors: [
            { pointer: '/to', detail: 'is allowed only with hand_over, and must be a person of the desk' },
          ],
        });
      const changed = await bareActs[act](services, request.params.case, investigator.holder, to ?? '');
      return await describeActResult(services, changed, investigator);
    },
  );
}

/** The effect of each act of a message on the state and the call of its case. */
const ACT_EFFECTS: Readonly<Record<DeskMessageRequest['act'], Pick<SealedMessage, 'act' | 'callAct'>>> = {
  message: {},
  ask: { act: 'ask' },
  decline: { act: 'decline' },
  book_call: { callAct: 'book' },
  retain: {},
};

function toSealedMessage(request: DeskMessageRequest): SealedMessage {
  const { seq, sealed, act, salt, offer_call: offersCall = false } = request;
  if (offersCall && act !== 'message' && act !== 'ask')
    throw createFieldError('/offer_call', 'is allowed only with a message or a question');
  return {
    by: 'desk',
    seq,
    sealed: Buffer.from(sealed, 'base64url'),
    ...ACT_EFFECTS[act],
    ...(offersCall ? { callAct: 'offer' } : {}),
    ...(salt === undefined ? {} : { salt }),
    ...toRefund(request),
    ...toRetention(request),
  };
}

/** Checks only the size and the format: the desk that declined is responsible for the content. */
function toRefund({ act, refund }: DeskMessageRequest): Pick<SealedMessage, 'refund'> {
  if (refund === undefined) return {};
  const sealed = Buffer.from(refund, 'base64url');
  if (act !== 'decline' || sealed.length > REFUND_BYTES)
    throw createFieldError('/refund', `is allowed only with decline, and has at most ${REFUND_BYTES} bytes`);
  if (countRecipients(sealed) === null) throw new ServiceError('not_sealed');
  return { refund: sealed };
}

/** The days may be fewer than before, because an investigator chose them. */
function toRetention({ act, keep_days: given }: DeskMessageRequest): Pick<SealedMessage, 'retain'> {
  if (act !== 'retain' && given === undefined) return {};
  const days = KEEP_DAYS.find((known) => known === given);
  if (act !== 'retain' || days === undefined)
    throw createFieldError(
      '/keep_days',
      `is allowed only with retain, and is one of ${KEEP_DAYS.join(', ')}`,
    );
  return { retain: { days, mayShorten: true } };
}

async function deliverFinding(
  services: DeskServices,
  id: string,
  { seq, sealed, files, at_once: isAtOnce = false }: DeskFindingRequest,
  investigator: string,
): Promise<Case> {
  const uploads = files.map(({ upload, size }) => ({ id: upload, size }));
  // Whatever program the desk uses, plain text must not be stored as sealed.
  for (const upload of uploads) await requireSealedUpload(services.store.records, upload);
  return await deliverSealedFinding(services, id, {
    finding: Buffer.from(sealed, 'base64url'),
    files: uploads,
    uploader: toDeliveryUploader(id),
    seq,
    undoMs: isAtOnce ? 0 : services.undoMs,
    investigator,
  });
}

function createFieldError(pointer: string, detail: string): ServiceError {
  return new ServiceError('validation_failed', { errors: [{ pointer, detail }] });
}
