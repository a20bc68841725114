/** Sign-in and consent: the pages that the engine sends a person to, and the way back to it. */
import { timingSafeEqual } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { InteractionResults, Provider } from 'oidc-provider';
import { ServiceError } from '#platform/errors.ts';
import type { App } from '#platform/http/app.ts';
import { addFormPosts } from '#platform/http/form-post.ts';
import { findActiveClient } from '#store/clients.ts';
import { type Frame, HTML, type Page, sendPage } from '#view/page.ts';
import { normalAddress } from './address.ts';
import { userOfWords } from './case-words.ts';
import { askForCode, guessCode } from './email-code.ts';
import { type Engine, pinned } from './engine-loader.ts';
import type { Office } from './office.ts';
import { codePage, consentPage, type Step, signInPage } from './sign-in-pages.ts';

const PAGES_PER_MINUTE = 60;
const WORDS_PER_MINUTE = 20;

type Interaction = Awaited<ReturnType<Provider['interactionDetails']>>;

/** Those of the authorization request that matter here; the engine has checked them. */
interface Asked {
  readonly client_id: string;
  readonly redirect_uri: string;
  readonly scope: string;
}

interface Visit {
  readonly provider: Provider;
  readonly interaction: Interaction;
  readonly asked: Asked;
  readonly step: Step;
  readonly fields: URLSearchParams;
}

/** The page to show next, or what the engine should know to go on. */
type Outcome = Page | InteractionResults;

/** In a scope of its own, which takes forms only. */
export function addSignIn(app: App, { office, engine, frame }: SignInParts): void {
  addFormPosts(app, office.addresses);
  const config = {
    access: 'public',
    produces: HTML,
    rateLimit: { max: PAGES_PER_MINUTE },
  } as const;
  const answered = (handle: (visit: Visit) => Promise<Outcome>) => {
    return async (request: FastifyRequest, reply: FastifyReply) => {
      const visit = await open({ office, engine, frame }, request, reply);
      const outcome = await handle(visit);
      if ('main' in outcome) return sendPage(reply, frame, outcome as Page);
      const { provider } = visit;
      return reply.redirect(await provider.interactionResult(request.raw, reply.raw, outcome), 303);
    };
  };
  app.get('/sign-in/:uid', { config }, answered(showStep));
  app.post(
    '/sign-in/:uid/address',
    { config },
    answered((visit) => takeAddress(office, visit)),
  );
  app.post(
    '/sign-in/:uid/code',
    { config },
    answered((visit) => takeCode(office, visit)),
  );
  app.post(
    '/sign-in/:uid/words',
    { config: { ...config, rateLimit: { max: WORDS_PER_MINUTE } } },
    answered((visit) => takeWords(office, visit)),
  );
  app.post('/sign-in/:uid/consent', { config }, answered(allow));
  app.post(
    '/sign-in/:uid/cancel',
    { config },
    answered(async () => denied),
  );
}

interface SignInParts {
  readonly office: Office;
  readonly engine: Engine;
  readonly frame: Frame;
}

/** Only in the browser that began, and a form only from the page that this browser was shown. */
async function open(
  { office, engine, frame }: SignInParts,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Visit> {
  const { provider } = await engine();
  const { raw } = pinned(request, office.addresses);
  const interaction = await provider.interactionDetails(raw, reply.raw).catch((cause: unknown) => {
    throw isProtocolError(cause) ? new ServiceError('sign_in_expired') : cause;
  });
  const { uid } = request.params as { uid: string };
  const asked = interaction.params as unknown as Asked;
  const client = await findActiveClient(office.store.records, asked.client_id);
  if (interaction.uid !== uid || !client) throw new ServiceError('sign_in_expired');
  const formToken = office.keyring.tag('sign-in', `form ${uid}`);
  const fields = request.body instanceof URLSearchParams ? request.body : new URLSearchParams();
  if (request.method === 'POST' && !isSame(fields.get('form_token') ?? '', formToken))
    throw new ServiceError('foreign_form');
  return {
    provider,
    interaction,
    asked,
    fields,
    step: {
      uid,
      formToken,
      clientName: client.name,
      redirectUri: asked.redirect_uri,
      siteName: frame.siteName,
    },
  };
}

function isProtocolError(error: unknown): boolean {
  return error instanceof Error && 'error_description' in error;
}

function isSame(shown: string, expected: string): boolean {
  return shown.length === expected.length && timingSafeEqual(Buffer.from(shown), Buffer.from(expected));
}

async function showStep({ interaction, asked, step }: Visit): Promise<Page> {
  return interaction.prompt.name === 'consent' ? consentPage(step, asked.scope.split(' ')) : signInPage(step);
}

async function takeAddress(office: Office, { interaction, step, fields }: Visit): Promise<Page> {
  demandPrompt(interaction, 'login');
  const value = fields.get('address') ?? '';
  const address = normalAddress(value);
  if (address === null)
    return signInPage(step, {
      field: 'address',
      value,
      message: 'Enter an e-mail address, like name@example.com',
    });
  await askForCode(office, step.uid, address);
  return codePage(step);
}

async function takeCode(office: Office, { interaction, step, fields }: Visit): Promise<Outcome> {
  demandPrompt(interaction, 'login');
  const guess = await guessCode(office, step.uid, fields.get('code') ?? '');
  if (guess.right) return { login: { accountId: guess.userId, remember: false } };
  if (guess.left === 0)
    return signInPage(step, { field: 'address', message: 'That code is no longer good. Ask for a new one' });
  return codePage(
    step,
    `That is not the code. You can try ${guess.left} more ${guess.left === 1 ? 'time' : 'times'}`,
  );
}

async function takeWords(office: Office, { interaction, step, fields }: Visit): Promise<Outcome> {
  demandPrompt(interaction, 'login');
  const found = await userOfWords(office, {
    lookupToken: fields.get('lookup_token'),
    words: fields.get('words') ?? '',
  });
  if ('userId' in found) return { login: { accountId: found.userId, remember: false } };
  return signInPage(step, { field: 'words', message: found.fault });
}

async function allow({ provider, interaction, asked }: Visit): Promise<InteractionResults> {
  demandPrompt(interaction, 'consent');
  const { prompt, session } = interaction;
  const grant = new provider.Grant({ accountId: session!.accountId, clientId: asked.client_id });
  const { missingOIDCScope, missingResourceScopes } = prompt.details as {
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

/** A form that is sent at another step than its own was kept from an earlier one. */
function demandPrompt({ prompt }: Interaction, name: string): void {
  if (prompt.name !== name) throw new ServiceError('sign_in_expired');
}
