/** The versions of the terms: which ones an inquiry may name, and that earlier ones remain readable. */
import assert from 'node:assert/strict';
import test, { after, suite } from 'node:test';
import { recordTermsInForce, requireAcceptedTerms } from '#cases/intake/terms.ts';
import { createTerms } from '#content/site-content.ts';
import { ServiceError } from '#platform/errors.ts';
import { findTermsText } from '#store/terms-texts.ts';
import { withReverseCleanup } from '#test/cleanup.ts';
import { listEngines, openTestStore } from '#test/store/engines.ts';

const cleanUp = withReverseCleanup({ after });
const DAY = 86_400_000;
const previous = createTerms('# Previous terms\n\nOne promise.');
const current = createTerms('# Terms\n\nTwo promises.');

for (const engine of await listEngines(cleanUp))
  suite(`terms on ${engine.name}`, () => {
    test(`a version may be named for thirty days after it ended, and the current one always`, async (t) => {
      const store = await openTestStore(t, await engine.createDatabase(cleanUp));
      let now = 1_000 * DAY;
      const clock = { now: () => now };
      const before = { clock, store, terms: previous };
      const later = { clock, store, terms: current };
      await recordTermsInForce(before);
      now += 10 * DAY;
      await recordTermsInForce(before);
      // Both versions run concurrently, as during an upgrade of several instances: each accepts the other's terms.
      await recordTermsInForce(later);
      for (const services of [before, later])
        for (const { version } of [previous, current]) await requireAcceptedTerms(services, version);
      now += 30 * DAY - 1;
      await requireAcceptedTerms(later, previous.version);
      now += 1;
      await assert.rejects(requireAcceptedTerms(later, previous.version), (error) => {
        assert.ok(error instanceof ServiceError);
        assert.equal(error.code, 'terms_changed');
        assert.ok(error.errors?.[0]?.detail.includes(current.version));
        return true;
      });
      await requireAcceptedTerms(later, current.version);
      // The older text is restored: it is in force again, and the newer one ends.
      await recordTermsInForce(before);
      await requireAcceptedTerms(later, previous.version);
      for (const version of ['', '2026-11', `${previous.version} `, previous.version.toUpperCase()])
        await assert.rejects(requireAcceptedTerms(later, version), { code: 'terms_changed' }, version);
    });

    test(`a clock that was set back ends no version, and no text is replaced`, async (t) => {
      const store = await openTestStore(t, await engine.createDatabase(cleanUp));
      await recordTermsInForce({ clock: { now: () => 100 * DAY }, store, terms: current });
      await recordTermsInForce({ clock: { now: () => 1 * DAY }, store, terms: current });
      assert.equal(Number((await findTermsText(store.records, current.version))?.last_at), 100 * DAY);
      const forged = { ...current, text: '# Terms\n\nNo promises.' };
      await assert.rejects(
        recordTermsInForce({ clock: { now: () => 101 * DAY }, store, terms: forged }),
        /another text has this version already/,
      );
      assert.equal((await findTermsText(store.records, current.version))?.text, current.text);
    });
  });

test('the version is the beginning of the hash of the terms as shown', () => {
  assert.equal(createTerms('').version, 'e3b0c44298fc1c14');
  assert.notEqual(previous.version, current.version);
});
