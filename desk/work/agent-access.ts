/** What an agent can be allowed: scopes, and for whom it acts. */
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

/** The office holds them against its own list. */
export const GRANT_CHOICES: readonly AccessChoice[] = [
  { name: 'client_credentials', words: 'For itself.' },
  { name: 'authorization_code', words: 'For people who consent on the site; needs a redirect address.' },
  { name: 'refresh_token', words: 'For these people again, without asking them each time.' },
];

/** In our order, and nothing that is no choice. */
export function pickChoices(choices: readonly AccessChoice[], given: readonly unknown[]): string[] {
  return choices.map(({ name }) => name).filter((name) => given.includes(name));
}
