#!/usr/bin/env node
/** The program `office-agent`. */
import { runOnPackagedNode } from './packaged-node.js';

await runOnPackagedNode(import.meta.url, () => import('../examples/agent/main.ts'));
