/** The contact page: a message to the desk, sealed in the browser or on arrival. */
import {
  acceptsContactMessages,
  receiveContactMessage,
  receiveSealedContactMessage,
} from '#cases/intake/contact.ts';
import type { Language } from '#language/language.ts';
import { ServiceError } from '#platform/errors.ts';
import type { App } from '#platform/http/app-type.ts';
import { addFormPostParser, addSameOriginCheck } from '#platform/http/form-post.ts';
import { validateContactMessage } from '#seal/case/contact-message.ts';
import type { Services } from '#services.ts';
import { toErrorSentence } from '#site/message-page.ts';
import { sayFaults } from '#view/form.ts';
import { HTML_MEDIA_TYPE, type PageFrame, sendPage } from '#view/page.ts';
import { addPublicPageRoutes } from '#view/public-page.ts';
import { negotiateLanguage } from '#view/request-language.ts';
import { createReadablePage } from '#view/static-page.ts';
import { type ContactField, SEALED_CONTACT_PATH } from '#wire/contact-page.ts';
import { SEALED_CONTACT_BYTES, SealedContactRequestSchema } from '#wire/contact-requests.ts';
import { renderContactPage, renderContactSentPage, renderFullContactPage } from './page.ts';

const CONTACT_PATH = '/contact';

/** Needs its own Fastify scope, because it accepts only form posts. */
export function addContactPageRoutes(
  app: App,
  services: Pick<Services, 'addresses' | 'clock' | 'store' | 'sealing' | 'sealingKeys'>,
  frame: PageFrame,
): void {
  addFormPostParser(app, services.addresses);
  const config = { access: 'public', produces: HTML_MEDIA_TYPE } as const;
  const prepareEmptyForm = createReadablePage(frame, CONTACT_PATH, async (language) =>
    renderContactPage({ language, keys: await services.sealingKeys }),
  );
  const prepareFullPage = createReadablePage(frame, CONTACT_PATH, (language) =>
    renderFullContactPage(language, frame.maintainer),
  );
  addPublicPageRoutes(app, frame, {
    route: CONTACT_PATH,
    getPage: async (request) =>
      await ((await acceptsContactMessages(services)) ? prepareEmptyForm : prepareFullPage)(request),
  });
  app.post(CONTACT_PATH, { config: { ...config, budget: 'contactForms' } }, async (request, reply) => {
    const fields = toContactFields(request.body as URLSearchParams);
    const page = await receiveContactForm(services, fields, {
      language: negotiateLanguage(request),
      maintainer: frame.maintainer,
    });
    return sendPage(reply, frame, page);
  });
}

/** Needs its own Fastify scope, because only the script of our page may call it. */
export function addSealedContactRoutes(
  app: App,
  services: Pick<Services, 'addresses' | 'clock' | 'store' | 'sealingKeys'>,
): void {
  addSameOriginCheck(app, services.addresses);
  app.post(
    SEALED_CONTACT_PATH,
    {
      config: { access: 'public', budget: 'contactForms' },
      bodyLimit: SEALED_CONTACT_BYTES,
      schema: { body: SealedContactRequestSchema },
    },
    async (request, reply) => {
      const sealed = Buffer.from(request.body.sealed, 'base64url');
      const recipientSet = request.body.sealing_set ?? null;
      await receiveSealedContactMessage(services, {
        sealed,
        recipientSet,
        sealedBy: 'browser',
        repeat: null,
      });
      return reply.code(204).send();
    },
  );
}

/** A browser submits line breaks as CRLF, but a script reads them as LF. */
function toContactFields(body: URLSearchParams): ReadonlyMap<string, string> {
  return new Map([...body].map(([name, value]) => [name, value.replaceAll('\r\n', '\n')]));
}

async function receiveContactForm(
  services: Pick<Services, 'addresses' | 'clock' | 'store' | 'sealing' | 'sealingKeys'>,
  fields: ReadonlyMap<string, string>,
  { language, maintainer }: { readonly language: Language; readonly maintainer: string },
) {
  const checked = validateContactMessage(Object.fromEntries(fields));
  const keys = await services.sealingKeys;
  if ('message' in checked)
    try {
      await receiveContactMessage(services, checked.message);
      return renderContactSentPage(language);
    } catch (error) {
      if (!(error instanceof ServiceError && isTryAgain(error))) throw error;
      // The typed text is shown again, so that it can be sent later or copied into an e-mail.
      const message =
        error.code === 'contact_full'
          ? language.say('contact.full.write', { address: maintainer })
          : toErrorSentence(error, language);
      const faults = [{ field: 'message' satisfies ContactField, message }];
      return renderContactPage({ language, keys, fields, faults, status: error.status });
    }
  const faults = checked.errors.map(({ pointer, said }) => ({ field: pointer.slice(1), message: said }));
  return renderContactPage({ language, keys, fields, faults: sayFaults(language, faults) });
}

function isTryAgain({ code }: ServiceError): boolean {
  return code === 'contact_full' || code === 'sealing_keys_changing';
}
