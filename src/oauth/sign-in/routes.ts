/** Sign-in and consent: the pages that the engine sends a person to, and the way back to it. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { InteractionResults } from 'oidc-provider';
import { normalizeEmailAddress } from '#platform/email-address.ts';
import type { App } from '#platform/http/app.ts';
import { addFormPostParser } from '#platform/http/form-post.ts';
import { HTML_MEDIA_TYPE, type Page, sendPage } from '#view/page.ts';
import { WORDS_FIELD } from '#wire/page-parts.ts';
import { LOOKUP_TOKEN_FIELD } from '#wire/sign-in-page.ts';
import { resolveUserByWords } from './case-words.ts';
import { requestSignInCode, verifySignInCode } from './email-code.ts';
import { renderConsentPage, renderSignInCodePage, renderSignInPage } from './pages.ts';
import { requireSignInStep, requireSignInVisit, type SignInContext, type SignInVisit } from './visit.ts';

const TRIES_PER_MINUTE = 30;

/** The page to show next, or what the engine should know to go on. */
type Outcome = Page | InteractionResults;
type Handle = (visit: SignInVisit) => Promise<Outcome>;

/** Each form by the end of its address. */
const forms: Readonly<Record<string, Handle>> = {
  address: handleAddressForm,
  code: handleCodeForm,
  words: handleWordsForm,
  consent: handleConsentForm,
  cancel: async () => denied,
};

/** In a scope of its own, which takes forms only. */
export function addSignInRoutes(app: App, parts: SignInContext): void {
  addFormPostParser(app, parts.services.addresses);
  const page = { access: 'public', produces: HTML_MEDIA_TYPE } as const;
  app.get('/sign-in/:uid', { config: page }, createVisitHandler(parts, renderCurrentStep));
  for (const [name, handle] of Object.entries(forms))
    app.post(
      `/sign-in/:uid/${name}`,
      { config: { ...page, rateLimit: { max: TRIES_PER_MINUTE } } },
      createVisitHandler(parts, handle),
    );
}

function createVisitHandler(parts: SignInContext, handle: Handle) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const visit = await requireSignInVisit(parts, request, reply);
    const outcome = await handle(visit);
    if ('main' in outcome) return sendPage(reply, parts.frame, outcome as Page);
    return reply.redirect(await visit.provider.interactionResult(request.raw, reply.raw, outcome), 303);
  };
}

async function renderCurrentStep({ interaction, asked, step }: SignInVisit): Promise<Page> {
  return interaction.prompt.name === 'consent'
    ? renderConsentPage(step, asked.scope.split(' '))
    : renderSignInPage(step);
}

async function handleAddressForm(visit: SignInVisit): Promise<Page> {
  requireSignInStep(visit, 'login');
  const { services, step, fields } = visit;
  const value = fields.get('address') ?? '';
  const address = normalizeEmailAddress(value);
  if (address === null)
    return renderSignInPage(step, {
      field: 'address',
      value,
      message: 'Enter an e-mail address, like name@example.com',
    });
  await requestSignInCode(services, step.uid, address);
  return renderSignInCodePage(step);
}

async function handleCodeForm(visit: SignInVisit): Promise<Outcome> {
  requireSignInStep(visit, 'login');
  const { services, step, fields } = visit;
  const guess = await verifySignInCode(services, step.uid, fields.get('code') ?? '');
  if (guess.right) return toLoginResult(guess.userId);
  if (guess.left === 0)
    return renderSignInPage(step, {
      field: 'address',
      message: 'That code is no longer good. Ask for a new one',
    });
  const times = guess.left === 1 ? 'time' : 'times';
  return renderSignInCodePage(step, `That is not the code. You can try ${guess.left} more ${times}`);
}

async function handleWordsForm(visit: SignInVisit): Promise<Outcome> {
  requireSignInStep(visit, 'login');
  const { services, step, fields } = visit;
  const found = await resolveUserByWords(services, {
    lookupToken: fields.get(LOOKUP_TOKEN_FIELD),
    words: fields.get(WORDS_FIELD) ?? '',
  });
  return 'userId' in found
    ? toLoginResult(found.userId)
    : renderSignInPage(step, { field: WORDS_FIELD, message: found.fault });
}

/** For this authorization alone: the next one asks again. */
function toLoginResult(accountId: string): InteractionResults {
  return { login: { accountId, remember: false } };
}

async function handleConsentForm(visit: SignInVisit): Promise<InteractionResults> {
  requireSignInStep(visit, 'consent');
  const { provider, asked, interaction } = visit;
  const grant = new provider.Grant({
    accountId: interaction.session!.accountId,
    clientId: asked.client_id,
  });
  const { missingOIDCScope, missingResourceScopes } = interaction.prompt.details as {
    missingOIDCScope?: string[];
    missingResourceScopes?: Record<string, string[]>;
  };
  // The engine knows our scopes as its own and as the resource's; consent covers both.
  if (missingOIDCScope) grant.addOIDCScope(missingOIDCScope.join(' '));
  for (const [resource, scopes] of Object.entries(missingResourceScopes ?? {}))
    grant.addResourceScope(resource, scopes.join(' '));
  return { consent: { grantId: await grant.save() } };
}

const denied: InteractionResults = {
  error: 'access_denied',
  error_description: 'the person did not allow it',
};
