/** The case page: twelve words in, the state of the case and what was sent out. */
import { Type } from 'typebox';
import type { Registry } from '#cases/registry.ts';
import type { Addresses } from '#platform/addresses.ts';
import { ServiceError } from '#platform/errors.ts';
import type { App } from '#platform/http/app.ts';
import { addFormPosts, demandOwnPages } from '#platform/http/form-post.ts';
import { SealError } from '#seal/seal-error.ts';
import { type Frame, HTML, type Page, sendPage } from '#view/page.ts';
import { casePage, caseView, findPage } from './case-page.ts';
import { LookupText } from './lookup-text.ts';

/** Enough for a person with a wrong word or two; a guesser needs 2^127 tries. */
const TRIES_PER_MINUTE = 20;

const Lookup = Type.Object({ lookup_token: LookupText }, { additionalProperties: false });

export interface CaseParts {
  readonly addresses: Addresses;
  readonly registry: Registry;
}

/** In a scope of its own, which takes forms only. */
export function addCase(app: App, { addresses, registry }: CaseParts, frame: Frame): void {
  addFormPosts(app, addresses);
  const page = { access: 'public', produces: HTML } as const;
  app.get('/case', { config: page }, async (_request, reply) => sendPage(reply, frame, findPage()));
  app.post('/case', { config: { ...page, rateLimit: { max: TRIES_PER_MINUTE } } }, async (request, reply) => {
    const words = (request.body as URLSearchParams).get('words') ?? '';
    return sendPage(reply, frame, await openedPage(registry, words));
  });
}

/** In a scope of its own: the script of the page asks here, with the token alone. */
export function addSealedCase(app: App, { addresses, registry }: CaseParts): void {
  demandOwnPages(app, addresses);
  app.post(
    '/case/sealed',
    { config: { access: 'public', rateLimit: { max: TRIES_PER_MINUTE } }, schema: { body: Lookup } },
    async (request) => {
      // Loaded at first use: docs/decisions/0010.
      const { findSealedCase } = await import('#cases/reading.ts');
      const { record, caseKey, inquiry } = await findSealedCase(registry, request.body.lookup_token);
      return {
        ...caseView(record, registry.clock.now()),
        case_key: base64url(caseKey),
        inquiry: base64url(inquiry),
      };
    },
  );
}

/** The words come back in no answer: a wrong one is typed again. */
async function openedPage(registry: Registry, words: string): Promise<Page> {
  const { openCaseWithWords } = await import('#cases/reading.ts');
  try {
    return casePage(await openCaseWithWords(registry, words), registry.clock.now());
  } catch (error) {
    if (error instanceof SealError && error.code.startsWith('words_')) return findPage(error.message);
    if (error instanceof ServiceError && error.code === 'case_unknown') return findPage(UNKNOWN);
    throw error;
  }
}

const UNKNOWN = 'No case opens with these words. Check each of them, and their order';

function base64url(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64url');
}
