/** What each scope lets a program do, in words for the person who allows it. */
import { WITHDRAWN_HOURS } from '#cases/ending/retention.ts';
import type { Say } from '#language/catalogue.ts';
import { SCOPES, type Scope } from '#platform/scopes.ts';

const sentences: Readonly<Record<Scope, (say: Say) => readonly string[]>> = {
  'case:read': (say) => [say('scope.case_read')],
  'case:write': (say) => [
    say('scope.case_write.buy'),
    say('scope.case_write.send'),
    say('scope.case_write.end', { hours: WITHDRAWN_HOURS }),
  ],
  'contact:write': (say) => [say('scope.contact_write')],
  'pricing:read': (say) => [say('scope.pricing_read')],
};

/** In a fixed order; names that are not scopes are left out. */
export function listScopeSentences(scopes: readonly string[], say: Say): readonly string[] {
  return SCOPES.filter((scope) => scopes.includes(scope)).flatMap((scope) => sentences[scope](say));
}
