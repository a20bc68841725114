/** Asks the service by the tokens that the words give: for the case, before anything of it is known, and for its feed. */
import { isErrorWithCode, UserFacingError } from '#browser/rpc/fault.ts';
import { createJsonRequest, sendRequest, sendRequestWithRetry } from '#browser/rpc/service-requests.ts';
import type { WordLookup } from '#seal/words.ts';
import { SEALED_CASE_PATHS } from '#wire/case-page.ts';
import type { CaseLookupRequest, NewsFeedRequest, SealedCaseAnswer } from '#wire/case-requests.ts';
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
    return (await response.json()) as SealedCaseAnswer;
  } catch (error) {
    throw isErrorWithCode(error, CASE_UNKNOWN.code) ? new UserFacingError(CASE_UNKNOWN) : error;
  }
}

export type CaseTokens = Pick<WordLookup, 'lookupToken' | 'newsToken' | 'newsHash'>;

/** Returns the token of the private feed, once the service has its hash. */
export async function requestFeed({ lookupToken, newsHash, newsToken }: CaseTokens): Promise<string> {
  const body: NewsFeedRequest = { lookup_token: lookupToken, news_hash: newsHash };
  await sendRequestWithRetry(SEALED_CASE_PATHS.feed, createJsonRequest(body));
  return newsToken;
}
