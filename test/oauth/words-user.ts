/** A person who let a client act for them with the words of a case. */
import assert from 'node:assert/strict';
import { deriveWordsTag } from '#cases/access.ts';
import type { ClientCredentials } from '#clients/clients.ts';
import { deriveWordKeys, generateWords } from '#seal/core/words.ts';
import { seedCase } from '#test/cases/seeded-case.ts';
import { buildCodeGrantForm, type OAuthTestApp } from './oauth-test-app.ts';

export interface WordsUser {
  readonly words: string;
  readonly caseId: string;
  readonly tokens: { readonly access_token: string; readonly refresh_token: string };
}

export async function createWordsUser(app: OAuthTestApp, client: ClientCredentials): Promise<WordsUser> {
  const words = generateWords();
  const { lookupHash } = await deriveWordKeys(words);
  const { record } = await seedCase(app.store, {
    lookup_hash: lookupHash,
    words_tag: deriveWordsTag(app.services.keyring, lookupHash),
  });
  const browser = await app.openAuthorization(client.clientId);
  await browser.submitForm('words', { words });
  await browser.submitForm('consent');
  const answer = await app.requestToken(client, buildCodeGrantForm(browser.getExternalRedirect()));
  assert.equal(answer.status, 200, answer.text);
  return { words, caseId: record.id, tokens: answer.json as unknown as WordsUser['tokens'] };
}
