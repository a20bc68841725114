/**
 * Changes to a case over HTTP by investigators: sealed messages, notes and findings, whose files come before in pieces,
 * and acts that seal nothing.
 */

import type { FastifyRequest } from 'fastify';
import type { Static, TSchema } from 'typebox';
import { deliverSealedFinding, toDeliveryUploader } from '#cases/delivery.ts';
import { bareActs, listDeskActs } from '#cases/desk/desk-acts.ts';
import { createFieldError } from '#cases/intake/field-problems.ts';
import { requireSealedUpload, storeUploadPiece, toUpload } from '#cases/intake/uploads.ts';
import { addCaseMessage, type SealedMessage } from '#cases/messages/messages.ts';
import { addCaseNote } from '#cases/messages/notes.ts';
import { requireCase, requireNextState } from '#cases/states.ts';
import { ServiceError } from '#platform/errors.ts';
import type { App } from '#platform/http/app-type.ts';
import { addByteParser } from '#platform/http/byte-body.ts';
import { ID_PATTERN } from '#platform/text/id-pattern.ts';
import { countRecipients } from '#seal/core/age.ts';
import type { Case } from '#store/cases/cases.ts';
import { MAX_STORED_PIECE_BYTES } from '#store/cases/objects.ts';
import {
  DeskActRequestSchema,
  type DeskFindingRequest,
  DeskFindingRequestSchema,
  type DeskMessageRequest,
  DeskMessageRequestSchema,
  DeskNoteRequestSchema,
} from '#wire/desk-cases.ts';
import { KEEP_DAYS } from '#wire/keep-days.ts';
import { DESK_CASE_PATH, type DeskCaseParams, describeActResult } from './cases.ts';
import {
  DESK_ACCESS,
  type DeskServices,
  type Investigator,
  isOwner,
  requireInvestigator,
  toDeskViewer,
} from './guard.ts';

/** Fits the longest message, note or finding in 4-byte characters, padded and sealed to many, as base64url. */
const SEALED_BYTES = 512 * 1024;
/** Fits a refund that is sealed to a hundred people. */
const REFUND_BYTES = 256 * 1024;

export function addDeskWritingRoutes(scope: App, services: DeskServices): void {
  const addChangeRoute = <Body extends TSchema>(
    path: string,
    { body, bodyLimit }: { readonly body: Body; readonly bodyLimit?: number },
    change: (caseId: string, given: Static<Body>, investigator: Investigator) => Promise<Case | null>,
  ) =>
    scope.post<{ Params: DeskCaseParams }>(
      `${DESK_CASE_PATH}/${path}`,
      { config: DESK_ACCESS, ...(bodyLimit !== undefined && { bodyLimit }), schema: { body } },
      async (request) => {
        const investigator = requireInvestigator(request);
        const changed = await change(request.params.case, request.body as Static<Body>, investigator);
        return await describeActResult(services, changed, investigator);
      },
    );
  const message = { body: DeskMessageRequestSchema, bodyLimit: SEALED_BYTES };
  addChangeRoute('messages', message, (caseId, given, { holder: investigator }) =>
    addCaseMessage(services, caseId, {
      ...toSealedMessage(given),
      investigator,
      undoMs: services.undoMs,
    }),
  );
  const note = { body: DeskNoteRequestSchema, bodyLimit: SEALED_BYTES };
  addChangeRoute('notes', note, (caseId, { seq, sealed }, { holder: by }) =>
    addCaseNote(services, caseId, { seq, sealed: Buffer.from(sealed, 'base64url'), by }),
  );
  const finding = { body: DeskFindingRequestSchema, bodyLimit: SEALED_BYTES };
  addChangeRoute('finding', finding, (caseId, given, { holder }) =>
    deliverFinding(services, caseId, given, holder),
  );
  addChangeRoute('acts', { body: DeskActRequestSchema }, async (caseId, { act, to }, investigator) => {
    if (act === 'purge_now' && !isOwner(investigator)) throw new ServiceError('owner_only');
    const colleague = (await services.deskPeople()).find(({ holder }) => holder === to);
    if ((act === 'hand_over') !== (colleague !== undefined))
      throw createFieldError('/to', 'is allowed only with hand_over, and must be a person of the desk');
    return await bareActs[act](services, caseId, investigator.holder, to ?? '');
  });
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
  return { retain: days };
}

async function deliverFinding(
  services: DeskServices,
  id: string,
  { seq, sealed, files, at_once: isAtOnce = false }: DeskFindingRequest,
  investigator: string,
): Promise<Case> {
  const uploads = files.map(toUpload);
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

/** Needs its own Fastify scope, because it accepts bytes only. Uploads that no finding names are swept. */
export function addDeskUploadRoutes(scope: App, services: DeskServices): void {
  scope.removeAllContentTypeParsers();
  addByteParser(scope, MAX_STORED_PIECE_BYTES);
  scope.put<{ Params: DeskCaseParams & { upload: string; piece: string } }>(
    `${DESK_CASE_PATH}/uploads/:upload(^${ID_PATTERN}$)/:piece(^[0-9]{1,4}$)`,
    {
      config: { access: 'desk', upload: true, budget: 'pieces' },
      bodyLimit: MAX_STORED_PIECE_BYTES,
    },
    async (request, reply) => {
      const { case: id, upload, piece } = request.params;
      if (!Buffer.isBuffer(request.body)) throw new ServiceError('unsupported_media_type');
      await requireDeliverable(services, id, request);
      await storeUploadPiece(services, toDeliveryUploader(id), {
        upload,
        piece: Number(piece),
        bytes: request.body,
      });
      return reply.code(204).send(null);
    },
  );
}

/** Checks the case before the upload, so that large files are not stored in vain. */
async function requireDeliverable(
  { clock, store }: DeskServices,
  id: string,
  request: FastifyRequest,
): Promise<void> {
  const viewer = toDeskViewer(requireInvestigator(request));
  const now = clock.now();
  const record = await requireCase(store.records, id, now);
  if (listDeskActs(record, viewer, now).includes('deliver')) return;
  requireNextState(record, 'deliver', 'desk');
  throw new ServiceError('case_held');
}
