/** The worker: all keys and all sealing live here, apart from the page, so that the page stays light and quick. */
import { openCase } from './case-opening.ts';
import { sendContactMessage } from './contact-sealing.ts';
import { Fault, factsOf } from './fault.ts';
import { InquirySealing } from './inquiry-sealing.ts';
import type { Jobs, Message, Request } from './jobs.ts';
import { rehearse } from './rehearsal.ts';
import { asFault } from './seal-fault.ts';
import { keysOf } from './word-keys.ts';

const inquiry = new InquirySealing();

addEventListener('message', ({ data }: MessageEvent<Request>) => void work(data));
rehearse().then(
  () => tell({ ready: true }),
  () => tell({ ready: false }),
);

async function work(request: Request): Promise<void> {
  const { id } = request;
  try {
    tell({ id, answer: await answerTo(request, (progress) => tell({ id, progress })) });
  } catch (error) {
    tell({ id, fault: factsOf(asFault(error)) });
  }
}

async function answerTo(
  request: Request,
  progress: (share: number) => void,
): Promise<Jobs[Request['job']]['answer']> {
  switch (request.job) {
    case 'words':
      return await inquiry.makeWords(request.input);
    case 'check':
      return inquiry.check(request.input);
    case 'send':
      return await inquiry.send(request.input, progress);
    case 'open':
      return await openCase(request.input.words);
    case 'lookup':
      return (await keysOf(request.input.words)).lookupToken;
    case 'contact':
      return await sendContactMessage(request.input);
    default:
      throw new Fault({ code: 'unsupported', sentence: 'This page is out of date. Load it again.' });
  }
}

function tell(message: Message): void {
  postMessage(message);
}
