/** Asks the service for a case by the token that the words give, before anything of it is known. */
import { isErrorWithCode, UserFacingError } from '#browser/rpc/fault.ts';
import { createJsonRequest, sendRequest, sendRequestWithRetry } from '#browser/rpc/service-requests.ts';
import { SEALED_CASE_PATHS } from '#wire/case-page.ts';
import type { CaseLookupRequest, CaseReadRequest, SealedCaseAnswer } from '#wire/case-requests.ts';
import { WORDS_FIELD } from '#wire/page-parts.ts';

/** The service does not know about words, so its own message would not help the buyer. */
const CASE_UNKNOWN = {
  code: 'case_unknown',
  field: WORDS_FIELD,
} as const;

export async function fetchSealedCase(lookupToken: string): Promise<SealedCaseAnswer> {
  try {
    const response = await sendRequest(
      SEALED_CASE_PATHS.open,
      createJsonRequest({ lookup_token: lookupToken } satisfies CaseLookupRequest),
    );
    return await fetchRest(lookupToken, response);
  } catch (error) {
    throw isErrorWithCode(error, CASE_UNKNOWN.code) ? new UserFacingError(CASE_UNKNOWN) : error;
  }
}

/** A long case comes in several answers: returns them as one. */
export async function fetchRest(lookupToken: string, response: Response): Promise<SealedCaseAnswer> {
  let all = (await response.json()) as SealedCaseAnswer;
  while (all.more) {
    const read = { lookup_token: lookupToken, after: all.cursor } satisfies CaseReadRequest;
    const rest = await sendRequestWithRetry(SEALED_CASE_PATHS.news, createJsonRequest(read));
    const next = (await rest.json()) as SealedCaseAnswer;
    // With its key, the case begins anew: something before the cursor has gone or come.
    all = next.case_key ? next : { ...all, ...next, objects: [...all.objects, ...next.objects] };
  }
  return all;
}
