/** The case page without a script: twelve words in, the case out, and what the buyer does there. */
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { ServiceError } from '#platform/errors.ts';
import type { App } from '#platform/http/app.ts';
import { addFormPosts } from '#platform/http/form-post.ts';
import { limits } from '#platform/http/limits.ts';
import type { FormFields } from '#seal/form-fields.ts';
import { SealError } from '#seal/seal-error.ts';
import type { OpenedFile } from '#seal/sealed-file.ts';
import type { Services } from '#services.ts';
import { type Frame, HTML, type Page, sendPage } from '#view/page.ts';
import { findPage } from './find-page.ts';
import { erasedPage, purgedPage } from './gone-page.ts';
import { casePage } from './page.ts';

/** Enough for a person with a wrong word or two; a guesser needs 2^127 tries. */
const TRIES_PER_MINUTE = 20;
const ACTS = ['message', 'keep', 'withdraw', 'purge'] as const;

/** In a scope of its own, which takes forms only. */
export function addCase(
  app: App,
  services: Pick<Services, 'addresses' | 'clock' | 'store'>,
  frame: Frame,
): void {
  addFormPosts(app, services.addresses);
  const page = { access: 'public', produces: HTML } as const;
  const limited = { config: { ...page, rateLimit: { max: TRIES_PER_MINUTE } } };
  app.get('/case', { config: page }, async (_request, reply) => sendPage(reply, frame, findPage()));
  app.post('/case', limited, async ({ body }, reply) =>
    sendPage(reply, frame, await orWhyNot(() => opened(services, fieldsOf(body)))),
  );
  for (const act of ACTS)
    app.post(`/case/${act}`, limited, async ({ body }, reply) =>
      sendPage(reply, frame, await orWhyNot(() => acted(services, act, fieldsOf(body)))),
    );
  app.post('/case/file', { ...limited, handlerTimeout: limits.uploadMs }, async ({ body }, reply) => {
    const found = await orWhyNot(() => file(services, fieldsOf(body)));
    return 'content' in found ? sendFile(reply, found) : sendPage(reply, frame, found);
  });
}

function fieldsOf(body: unknown): FormFields {
  return new Map(body as URLSearchParams);
}

/** Loaded at first use: docs/decisions/0010. */
function loadBuyer() {
  return import('#cases/buyer-actions.ts');
}

async function opened(services: Pick<Services, 'clock' | 'store'>, fields: FormFields): Promise<Page> {
  const { openWithWords } = await loadBuyer();
  const { opened: found, words } = await openWithWords(services, fields.get('words') ?? '');
  return casePage({ opened: found, words, now: services.clock.now() });
}

async function acted(
  services: Pick<Services, 'clock' | 'store'>,
  act: (typeof ACTS)[number],
  fields: FormFields,
): Promise<Page> {
  const { openWithWords } = await loadBuyer();
  const { caseActs } = await import('./plain-actions.ts');
  const before = await openWithWords(services, fields.get('words') ?? '');
  const outcome = await caseActs[act](services, before, fields).catch(asNews);
  if ('erased' in outcome) return erasedPage;
  const after = 'faults' in outcome ? before : await openWithWords(services, before.words);
  return casePage({
    opened: after.opened,
    words: before.words,
    now: services.clock.now(),
    ...outcome,
    // What was typed stays where it was not taken.
    ...('faults' in outcome || 'refused' in outcome ? { fields } : {}),
  });
}

/** What the case no longer allows is told above the case as it is now. */
function asNews(error: unknown): { news: string; refused: true } {
  if (error instanceof ServiceError && error.status === 409)
    return { news: error.publicMessage, refused: true };
  throw error;
}

async function file(services: Pick<Services, 'store'>, fields: FormFields): Promise<OpenedFile> {
  const { fileWithWords } = await loadBuyer();
  const kind = fields.get('kind');
  const seq = Number(fields.get('seq'));
  if (kind !== 'finding-file.v1' || !Number.isSafeInteger(seq)) throw new ServiceError('not_found');
  return await fileWithWords(services, fields.get('words') ?? '', { kind, seq });
}

/** Never shown within the site, whatever it is; one that turns out to be damaged breaks off. */
function sendFile(reply: FastifyReply, { name, content }: OpenedFile): FastifyReply {
  return reply
    .type('application/octet-stream')
    .header('content-disposition', `attachment; filename*=UTF-8''${rfc8187(name)}`)
    .send(Readable.fromWeb(content));
}

/** RFC 8187 §3.2.1. */
function rfc8187(text: string): string {
  return encodeURIComponent(text).replace(/['()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16)}`);
}

/** The words come back in no answer to a wrong one: they are typed again. */
async function orWhyNot<Shown>(show: () => Promise<Shown>): Promise<Shown | Page> {
  try {
    return await show();
  } catch (error) {
    if (error instanceof SealError && error.code.startsWith('words_')) return findPage(error.message);
    if (!(error instanceof ServiceError)) throw error;
    if (error.code === 'case_unknown') return findPage((await import('#seal/words.ts')).NO_CASE);
    if (error.code !== 'case_purged') throw error;
    return purgedPage(error.publicMessage);
  }
}
