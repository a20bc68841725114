/** The contact page: a message to the desk, sealed in the browser or on arrival. */
import { receiveContactMessage, receiveSealedContactMessage } from '#cases/contact.ts';
import type { App } from '#platform/http/app.ts';
import { addFormPostParser, addSameOriginCheck } from '#platform/http/form-post.ts';
import { validateContactMessage } from '#seal/contact-message.ts';
import type { Services } from '#services.ts';
import { HTML_MEDIA_TYPE, type PageFrame, sendPage } from '#view/page.ts';
import { SEALED_CONTACT_PATH } from '#wire/contact-page.ts';
import { SealedContactRequestSchema } from '#wire/contact-requests.ts';
import { contactSentPage, renderContactPage } from './page.ts';

const MESSAGES_PER_MINUTE = 6;
/** Fits the longest message in 4-byte characters, padded, sealed to a dozen investigators, as base64url. */
const SEALED_BYTES = 128 * 1024;

/** Needs a scope of its own, because it accepts form posts only. */
export function addContactPageRoutes(
  app: App,
  services: Pick<Services, 'addresses' | 'clock' | 'store' | 'sealingKeys'>,
  frame: PageFrame,
): void {
  addFormPostParser(app, services.addresses);
  const config = { access: 'public', produces: HTML_MEDIA_TYPE } as const;
  app.get('/contact', { config }, async (_request, reply) =>
    sendPage(reply, frame, renderContactPage({ desk: (await services.sealingKeys).desk })),
  );
  app.post(
    '/contact',
    { config: { ...config, rateLimit: { max: MESSAGES_PER_MINUTE } } },
    async (request, reply) => {
      const page = await receiveContactForm(services, toContactFields(request.body as URLSearchParams));
      return sendPage(reply, frame, page);
    },
  );
}

/** Needs a scope of its own, because only the script of our page may call it. */
export function addSealedContactRoutes(
  app: App,
  services: Pick<Services, 'addresses' | 'clock' | 'store'>,
): void {
  addSameOriginCheck(app, services.addresses);
  app.post(
    SEALED_CONTACT_PATH,
    {
      config: { access: 'public', rateLimit: { max: MESSAGES_PER_MINUTE } },
      bodyLimit: SEALED_BYTES,
      schema: { body: SealedContactRequestSchema },
    },
    async (request, reply) => {
      const sealed = Buffer.from(request.body.sealed, 'base64url');
      await receiveSealedContactMessage(services, sealed, 'browser');
      return reply.code(204).send();
    },
  );
}

/** A browser submits line breaks as CRLF, but a script reads them as LF. */
function toContactFields(body: URLSearchParams): ReadonlyMap<string, string> {
  return new Map([...body].map(([name, value]) => [name, value.replaceAll('\r\n', '\n')]));
}

async function receiveContactForm(
  services: Pick<Services, 'clock' | 'store' | 'sealingKeys'>,
  fields: ReadonlyMap<string, string>,
) {
  const checked = validateContactMessage(Object.fromEntries(fields));
  if ('message' in checked) {
    await receiveContactMessage(services, checked.message);
    return contactSentPage;
  }
  const { desk } = await services.sealingKeys;
  const faults = checked.errors.map(({ pointer, detail }) => ({ field: pointer.slice(1), message: detail }));
  return renderContactPage({ desk, fields, faults });
}
