/** What an agent can be allowed: scopes, and for whom it acts. */
import { type GrantType, grantTypes } from '#platform/grant-types.ts';
import { SCOPES, scopeDescriptions } from '#platform/scopes.ts';

interface AccessChoice {
  /** As the office names it. */
  readonly name: string;
  readonly words: string;
}

export const SCOPE_CHOICES: readonly AccessChoice[] = SCOPES.map((name) => ({
  name,
  words: scopeDescriptions[name],
}));

const grantSentences: Readonly<Record<GrantType, string>> = {
  client_credentials: 'For itself.',
  authorization_code: 'For people who consent on the site; needs a redirect address.',
  refresh_token: 'For these people again, without asking them each time.',
};

export const GRANT_CHOICES: readonly AccessChoice[] = grantTypes.map((name) => ({
  name,
  words: grantSentences[name],
}));

/** In our order, and nothing that is no choice. */
export function pickChoices(choices: readonly AccessChoice[], given: readonly unknown[]): string[] {
  return choices.map(({ name }) => name).filter((name) => given.includes(name));
}
