/** The case page with its script: the token finds the case, what is sealed goes both ways as it is. */
import { Readable } from 'node:stream';
import { Type } from 'typebox';
import { purgeAtOnce } from '#cases/purge.ts';
import { KEEP_DAYS } from '#cases/retention.ts';
import type { CaseFile } from '#cases/sealed-case.ts';
import { keep, withdraw } from '#cases/states.ts';
import { timeText } from '#cases/status-text.ts';
import { ServiceError } from '#platform/errors.ts';
import type { App } from '#platform/http/app.ts';
import { demandOwnPages } from '#platform/http/form-post.ts';
import { limits } from '#platform/http/limits.ts';
import { Base64url, base64url, closed } from '#platform/http/shapes.ts';
import type { Services } from '#services.ts';
import type { Case } from '#store/cases.ts';
import type { StoredObject } from '#store/objects.ts';
import { LookupText } from '#wire/lookup-text.ts';
import { caseView } from './view-model.ts';

const TRIES_PER_MINUTE = 20;
/** A finding may have fifty. */
const FILES_PER_MINUTE = 120;
const MESSAGE_BYTES = 128 * 1024;
const FILES: readonly string[] = ['inquiry-file.v1', 'finding-file.v1'];

const token = { lookup_token: LookupText };
const Seq = Type.Integer({ minimum: 0, maximum: 999 });
const Lookup = Type.Object(token, closed);
const Message = Type.Object({ ...token, seq: Seq, sealed: Base64url, call: Type.Boolean() }, closed);
const Keep = Type.Object({ ...token, keep_days: Type.Enum([...KEEP_DAYS]) }, closed);
const File = Type.Object({ ...token, kind: Type.Enum([...FILES]), seq: Seq }, closed);

/** In a scope of its own: for the script of our page alone. */
export function addSealedCase(app: App, services: Pick<Services, 'addresses' | 'clock' | 'store'>): void {
  demandOwnPages(app, services.addresses);
  const config = { access: 'public', rateLimit: { max: TRIES_PER_MINUTE } } as const;
  app.post('/case/sealed', { config, schema: { body: Lookup } }, async ({ body }) =>
    shown(services, await find(services, body)),
  );
  app.post(
    '/case/sealed/message',
    { config, bodyLimit: MESSAGE_BYTES, schema: { body: Message } },
    async ({ body }) => {
      const { addMessage } = await import('#cases/messages.ts');
      const { id } = await find(services, body);
      const sealed = Buffer.from(body.sealed, 'base64url');
      const call = body.call ? ({ callAct: 'book' } as const) : {};
      return await shown(
        services,
        await addMessage(services, id, { by: 'buyer', seq: body.seq, sealed, ...call }),
      );
    },
  );
  app.post('/case/sealed/keep', { config, schema: { body: Keep } }, async ({ body }) => {
    const { id } = await find(services, body);
    return await shown(services, await keep(services, id, body.keep_days));
  });
  app.post('/case/sealed/withdraw', { config, schema: { body: Lookup } }, async ({ body }) => {
    const { id } = await find(services, body);
    return await shown(services, await withdraw(services, id));
  });
  app.post('/case/sealed/purge', { config, schema: { body: Lookup } }, async ({ body }, reply) => {
    await purgeAtOnce(services, (await find(services, body)).id);
    return reply.code(204).send();
  });
  addFile(app, services);
}

function addFile(app: App, services: Pick<Services, 'store'>): void {
  const config = { access: 'public', produces: '*/*', rateLimit: { max: FILES_PER_MINUTE } } as const;
  app.post(
    '/case/sealed/file',
    { config, schema: { body: File }, handlerTimeout: limits.uploadMs },
    async ({ body }, reply) => {
      const file = await fileOf(services, await find(services, body));
      const object = file.objects.find(({ kind, seq }) => kind === body.kind && seq === body.seq);
      if (!object) throw new ServiceError('not_found');
      return reply
        .type('application/octet-stream')
        .header('content-length', object.size)
        .send(Readable.fromWeb(file.stream(object)));
    },
  );
}

async function find(
  services: Pick<Services, 'store'>,
  { lookup_token: lookupToken }: { lookup_token: string },
): Promise<Case> {
  // Loaded at first use: docs/decisions/0010.
  const [{ findByLookup }, { lookupHashOf }] = await Promise.all([
    import('#cases/sealed-case.ts'),
    import('#seal/words.ts'),
  ]);
  return await findByLookup(services, lookupHashOf(lookupToken));
}

async function fileOf(services: Pick<Services, 'store'>, record: Case): Promise<CaseFile> {
  const { readCaseFile } = await import('#cases/sealed-case.ts');
  return await readCaseFile(services, record);
}

async function shown(services: Pick<Services, 'clock' | 'store'>, record: Case) {
  const { bytesOf } = await import('#cases/sealed-case.ts');
  const file = await fileOf(services, record);
  const listed = async (object: StoredObject) => ({
    kind: object.kind,
    seq: object.seq,
    size: object.size,
    at: timeText(object.keptAt),
    ...(FILES.includes(object.kind) ? {} : { sealed: base64url(await bytesOf(file, object)) }),
  });
  return {
    ...caseView(record, services.clock.now()),
    case_key: base64url(file.caseKey),
    objects: await Promise.all(file.objects.map(listed)),
  };
}
