/** The page behind the one-time link in the approval e-mail: its button creates the credentials and shows them once. */
import { Type } from 'typebox';
import {
  collectOfferedCredentials,
  type ProvisionedClient,
  requireOfferedClientName,
} from '#clients/registration.ts';
import { agentPaths, type PublicAddresses } from '#platform/addresses.ts';
import type { App } from '#platform/http/app.ts';
import { addFormPostParser } from '#platform/http/form-post.ts';
import type { Services } from '#services.ts';
import { html } from '#view/html.ts';
import { HTML_MEDIA_TYPE, type HtmlPage, type PageFrame, sendPage } from '#view/page.ts';

const PATH = `${agentPaths.credentials}/:link`;

/** Needs its own Fastify scope, because these routes accept only forms. */
export function addCredentialsRoutes(
  app: App,
  services: Pick<Services, 'addresses' | 'clock' | 'keyring' | 'store'>,
  frame: PageFrame,
): void {
  addFormPostParser(app, services.addresses);
  const route = {
    config: { access: 'public', produces: HTML_MEDIA_TYPE, budget: 'credentialPages' },
    schema: { params: Type.Object({ link: Type.String() }) },
  } as const;
  // Mail scanners open links, so a GET must neither show nor use up the credentials.
  app.get(PATH, route, async (request, reply) => {
    const { link } = request.params;
    return sendPage(reply, frame, renderOfferPage(await requireOfferedClientName(services, link), link));
  });
  app.post(PATH, route, async (request, reply) => {
    const client = await collectOfferedCredentials(services, request.params.link);
    return sendPage(reply, frame, renderCredentialsPage(client, services.addresses));
  });
}

function renderOfferPage(name: string, link: string): HtmlPage {
  return {
    title: 'Credentials for your program',
    hasLanguageChoice: false,
    main: html`<div class="wrap text">
<h1>Credentials for your program</h1>
<p><b>${name}</b> was approved. The button creates its secret and shows it once. Have a safe place to store it ready first.</p>
<form method="post" action="${agentPaths.credentials}/${link}"><div class="acts"><button class="button" type="submit">Show the credentials</button></div></form>
<p class="small">If the program has fetched its credentials itself in the meantime, this page no longer works.</p>
</div>`,
  };
}

function renderCredentialsPage(
  { name, clientId, clientSecret, scopes, grants }: ProvisionedClient,
  addresses: PublicAddresses,
): HtmlPage {
  const rows = [
    ['client_id', clientId],
    ['client_secret', clientSecret],
    ['scopes', scopes.join(' ')],
    ['grant_types', grants.join(' ')],
    ['token_endpoint', addresses.oauth.token],
  ] as const;
  return {
    title: 'Keep these credentials',
    main: html`<div class="wrap text">
<h1>Keep these credentials</h1>
<p>They are for <b>${name}</b>. We store only a hash of the secret: once this page is closed, it cannot be shown again.</p>
<table><tbody>${rows.map(([label, value]) => html`<tr><th scope="row">${label}</th><td><span class="code">${value}</span></td></tr>`)}</tbody></table>
<p>How to get a token with them: <a href="${agentPaths.instructions}">instructions for agents</a>.</p>
</div>`,
  };
}
