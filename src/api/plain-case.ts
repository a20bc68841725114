/** Plain reading: reads and answers a case with its words, for programs that cannot open it themselves. */
import type { Readable } from 'node:stream';
import { type Static, Type } from 'typebox';
import { computeCaseOwnerTag, deriveCaseViewer, requireOwnCase } from '#cases/access.ts';
import {
  addPlainMessage,
  type CaseWithWords,
  openFoundCase,
  openFoundFile,
  requireServerSealedCase,
} from '#cases/messages/buyer-actions.ts';
import { requireCaller } from '#oauth/guard.ts';
import { ServiceError } from '#platform/errors.ts';
import type { App } from '#platform/http/app-type.ts';
import { OCTET_STREAM } from '#platform/http/byte-body.ts';
import { IdempotencyHeaderSchema, readIdempotencyKey } from '#platform/http/idempotency-key.ts';
import { httpLimits } from '#platform/http/limits/limits.ts';
import { sendOpenedFile } from '#platform/http/opened-file.ts';
import { describeAnswer } from '#platform/http/operation.ts';
import { describeObject, IdSchema } from '#platform/http/shapes.ts';
import { MAX_MESSAGE_CHARACTERS } from '#seal/case/message.ts';
import { isSealedFileKind } from '#seal/core/header.ts';
import type { OpenedSealedFile } from '#seal/files/sealed-file.ts';
import type { Services } from '#services.ts';
import { toIdempotentRequest } from '#store/idempotent-request.ts';
import type { RecordOwner } from '#store/owner.ts';
import {
  CaseIdSchema,
  CaseParams,
  CaseSummary,
  caseExample,
  exampleWords,
  toCaseSummary,
} from './case-view.ts';
import { callSchemas } from './inquiry-body.ts';
import { FIRST_MESSAGE_CURSOR, parseMessageCursor } from './list-pages.ts';
import { PlainCase, toPlainCase } from './plain-case-view.ts';

type PlainServices = Pick<Services, 'clock' | 'keyring' | 'sealing' | 'store'>;

const problems = ['case_unknown', 'case_sealed_elsewhere', 'sealing_unavailable'] as const;

/** Repeated in every description, since a caller may read only one of them before sending the words. */
const OPENNESS =
  'Only for a case with `sealed_by: server`. The service opens the case in memory with the words and stores neither them nor the text, but while it answers it sees both, and so does whatever else they pass through, such as the host of a model.';

const WordsSchema = Type.String({
  minLength: 1,
  maxLength: 400,
  description: 'The twelve words of the case, in their order.',
});

export const PlainCaseRequest = describeObject(
  {
    words: WordsSchema,
    after: Type.Optional(
      Type.String({
        pattern: '^[0-9]{1,3}\\.[0-9]{1,3}$',
        description: 'The `cursor` of an earlier response: only later messages are in this one.',
        examples: ['0.1'],
      }),
    ),
  },
  { title: 'PlainCaseRequest', examples: [{ words: exampleWords }] },
);
export const PlainMessageRequest = describeObject(
  {
    words: WordsSchema,
    text: Type.String({ minLength: 1, maxLength: MAX_MESSAGE_CHARACTERS, description: 'Not only spaces.' }),
    ...callSchemas,
  },
  {
    title: 'PlainMessageRequest',
    examples: [{ words: exampleWords, text: 'She called herself Ann.' }],
  },
);
const FileBody = describeObject(
  { words: WordsSchema },
  { title: 'PlainFileRequest', examples: [{ words: exampleWords }] },
);

const PlainFileParams = describeObject({
  case: CaseIdSchema,
  file: Type.String({
    ...IdSchema,
    description: 'The `id` of the file, as in `openPlainCase` or `getCase`.',
  }),
});

export function addPlainReadRoute(app: App, services: PlainServices): void {
  app.post(
    '/cases/:case/plain',
    {
      config: { access: 'case:read', budget: 'words', problems },
      schema: {
        operationId: 'openPlainCase',
        tags: ['plain'],
        summary: 'Reads the messages and the finding of a case in plain text, with its words',
        description: `Reads the messages of both sides and, once it is delivered, the finding; nothing is stored or changed. ${OPENNESS}`,
        params: CaseParams,
        body: PlainCaseRequest,
        response: { 200: PlainCase },
      },
    },
    async (request) =>
      await openCallerCase(services, requireCaller(request), request.params.case, request.body),
  );
}

export function addPlainMessageRoute(app: App, services: PlainServices): void {
  app.post(
    '/cases/:case/plain/messages',
    {
      config: {
        access: 'case:write',
        budget: 'words',
        problems: [...problems, 'case_state', 'case_changed', 'idempotency_key_reused'],
      },
      schema: {
        operationId: 'createPlainMessage',
        tags: ['plain'],
        summary: 'Sends a message to the desk in plain text, or answers its question, with the words',
        description: `Sends a message to the desk, which is sealed on arrival and counts as written after everything that is in the case now. With \`call_windows\`, the \`call\` of the case becomes \`proposed\`. The response is the case after the message. Without an Idempotency-Key, a repeated request sends a second message. ${OPENNESS}`,
        headers: IdempotencyHeaderSchema,
        params: CaseParams,
        body: PlainMessageRequest,
        response: {
          201: describeAnswer(CaseSummary, {
            example: { ...caseExample, state: 'in_progress', sealed_by: 'server' },
          }),
        },
      },
    },
    async (request, reply) => {
      const message = { ...request.body, key: readIdempotencyKey(request) };
      reply.code(201);
      return await answerCallerCase(services, requireCaller(request), request.params.case, message);
    },
  );
}

export function addPlainFileRoute(app: App, services: PlainServices): void {
  app.post(
    '/cases/:case/plain/files/:file',
    {
      config: {
        access: 'case:read',
        produces: OCTET_STREAM,
        answerMs: httpLimits.uploadMs,
        budget: 'words',
        problems: [...problems, 'file_unreadable', 'not_found'],
      },
      schema: {
        operationId: 'openPlainFile',
        tags: ['plain'],
        summary: 'Downloads a file of a case as it was before it was sealed, with the words',
        description: `Downloads a file that is attached to the inquiry, to a message or to the finding; \`openPlainCase\` and \`getCase\` list them. If the download breaks off, the stored file is damaged: use nothing of it. ${OPENNESS}`,
        params: PlainFileParams,
        body: FileBody,
        response: {
          200: {
            description: 'The file itself.',
            headers: {
              'Content-Disposition': { type: 'string', description: 'The name of the file (RFC 6266).' },
            },
            content: {
              [OCTET_STREAM]: { schema: Type.Unsafe<Readable>({ type: 'string', format: 'binary' }) },
            },
          },
        },
      },
    },
    async (request, reply) => {
      const { case: caseId, file: fileId } = request.params;
      const file = { ...request.body, fileId };
      return sendOpenedFile(reply, await openCallerFile(services, requireCaller(request), caseId, file));
    },
  );
}

export async function openCallerFile(
  services: PlainServices,
  caller: RecordOwner,
  caseId: string,
  { words, fileId }: { readonly words: string; readonly fileId: string },
): Promise<OpenedSealedFile> {
  const found = await findOwnCase(services, caller, caseId, words);
  const stored = found.file.objects.find(({ id }) => id === fileId);
  if (!stored || !isSealedFileKind(stored.kind))
    throw new ServiceError('not_found', { detail: 'The case has no file with this id.' });
  return await openFoundFile(services, found, { kind: stored.kind, seq: stored.seq });
}

export async function openCallerCase(
  services: PlainServices,
  caller: RecordOwner,
  caseId: string,
  { words, after = FIRST_MESSAGE_CURSOR }: Static<typeof PlainCaseRequest>,
): Promise<Static<typeof PlainCase>> {
  const found = await findOwnCase(services, caller, caseId, words);
  return toPlainCase(await openFoundCase(services, found), parseMessageCursor(after));
}

/** Repeated requests are compared by their bodies without the words. */
export async function answerCallerCase(
  services: PlainServices,
  caller: RecordOwner,
  caseId: string,
  { words, key, ...content }: Static<typeof PlainMessageRequest> & { readonly key: string | null },
): Promise<Static<typeof CaseSummary>> {
  const found = await findOwnCase(services, caller, caseId, words);
  const repeat = toIdempotentRequest(services.keyring, {
    scope: `plain message to ${caseId} of ${computeCaseOwnerTag(services.keyring, caller)}`,
    key,
    body: content,
  });
  // Opens only the newest messages; of the older ones, the hashes are enough.
  const opened = await openFoundCase(services, found, { newer: 0 });
  const updated = await addPlainMessage(services, opened, content, repeat);
  return toCaseSummary(updated, services.clock.now());
}

async function findOwnCase(
  services: PlainServices,
  caller: RecordOwner,
  caseId: string,
  words: string,
): Promise<CaseWithWords> {
  const viewer = await deriveCaseViewer(services, caller);
  const record = await requireOwnCase(services.store.records, caseId, viewer, services.clock.now());
  return await requireServerSealedCase(services, record, words);
}
