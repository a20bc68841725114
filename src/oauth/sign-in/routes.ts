/** Sign-in and consent: the pages that the engine sends a person to, and the way back to it. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { InteractionResults } from 'oidc-provider';
import { normalAddress } from '#platform/email-address.ts';
import type { App } from '#platform/http/app.ts';
import { addFormPosts } from '#platform/http/form-post.ts';
import { HTML, type Page, sendPage } from '#view/page.ts';
import { userOfWords } from './case-words.ts';
import { askForCode, guessCode } from './email-code.ts';
import { codePage, consentPage, signInPage } from './pages.ts';
import { demandStep, openVisit, type SignInParts, type Visit } from './visit.ts';

const TRIES_PER_MINUTE = 30;

/** The page to show next, or what the engine should know to go on. */
type Outcome = Page | InteractionResults;
type Handle = (visit: Visit) => Promise<Outcome>;

/** Each form by the end of its address. */
const forms: Readonly<Record<string, Handle>> = {
  address: takeAddress,
  code: takeCode,
  words: takeWords,
  consent: allow,
  cancel: async () => denied,
};

/** In a scope of its own, which takes forms only. */
export function addSignIn(app: App, parts: SignInParts): void {
  addFormPosts(app, parts.services.addresses);
  const page = { access: 'public', produces: HTML } as const;
  app.get('/sign-in/:uid', { config: page }, answered(parts, showStep));
  for (const [name, handle] of Object.entries(forms))
    app.post(
      `/sign-in/:uid/${name}`,
      { config: { ...page, rateLimit: { max: TRIES_PER_MINUTE } } },
      answered(parts, handle),
    );
}

function answered(parts: SignInParts, handle: Handle) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const visit = await openVisit(parts, request, reply);
    const outcome = await handle(visit);
    if ('main' in outcome) return sendPage(reply, parts.frame, outcome as Page);
    return reply.redirect(await visit.provider.interactionResult(request.raw, reply.raw, outcome), 303);
  };
}

async function showStep({ interaction, asked, step }: Visit): Promise<Page> {
  return interaction.prompt.name === 'consent' ? consentPage(step, asked.scope.split(' ')) : signInPage(step);
}

async function takeAddress(visit: Visit): Promise<Page> {
  demandStep(visit, 'login');
  const { services, step, fields } = visit;
  const value = fields.get('address') ?? '';
  const address = normalAddress(value);
  if (address === null)
    return signInPage(step, {
      field: 'address',
      value,
      message: 'Enter an e-mail address, like name@example.com',
    });
  await askForCode(services, step.uid, address);
  return codePage(step);
}

async function takeCode(visit: Visit): Promise<Outcome> {
  demandStep(visit, 'login');
  const { services, step, fields } = visit;
  const guess = await guessCode(services, step.uid, fields.get('code') ?? '');
  if (guess.right) return signedIn(guess.userId);
  if (guess.left === 0)
    return signInPage(step, { field: 'address', message: 'That code is no longer good. Ask for a new one' });
  const times = guess.left === 1 ? 'time' : 'times';
  return codePage(step, `That is not the code. You can try ${guess.left} more ${times}`);
}

async function takeWords(visit: Visit): Promise<Outcome> {
  demandStep(visit, 'login');
  const { services, step, fields } = visit;
  const found = await userOfWords(services, {
    lookupToken: fields.get('lookup_token'),
    words: fields.get('words') ?? '',
  });
  return 'userId' in found
    ? signedIn(found.userId)
    : signInPage(step, { field: 'words', message: found.fault });
}

/** For this authorization alone: the next one asks again. */
function signedIn(accountId: string): InteractionResults {
  return { login: { accountId, remember: false } };
}

async function allow(visit: Visit): Promise<InteractionResults> {
  demandStep(visit, 'consent');
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
