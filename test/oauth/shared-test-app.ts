/** One service for all tests of a process that need no other: each of them brings its own clients and people. */
import { processScope } from '#test/cleanup.ts';
import { startOAuthTestApp } from './oauth-test-app.ts';

export const testApp = await startOAuthTestApp(processScope);
