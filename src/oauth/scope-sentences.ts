/** What each scope lets a program do, in words for the person who allows it. */
import { WITHDRAWN_HOURS } from '#cases/retention.ts';
import { SCOPES, type Scope } from '#platform/scopes.ts';

const sentences: Readonly<Record<Scope, readonly string[]>> = {
  'case:read': ['see how your cases stand, and fetch the sealed messages and findings in them'],
  'case:write': [
    'start a purchase: a person still pays each one, on the page of the payment provider',
    'send the inquiry that was paid for, and write in your cases',
    `change how long a case is kept, or withdraw it: a withdrawn case is erased after ${WITHDRAWN_HOURS} hours`,
  ],
  'contact:write': ['send us contact messages'],
  'pricing:read': ['read our prices, and whether payments are open'],
};

/** In a fixed order; names that are no scope are left out. */
export function listScopeSentences(scopes: readonly string[]): readonly string[] {
  return SCOPES.filter((scope) => scopes.includes(scope)).flatMap((scope) => sentences[scope]);
}
