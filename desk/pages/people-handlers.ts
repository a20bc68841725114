/** Answers for the people of the office. Confirming a change of them is a strip on every page. */
import type { DeskAnswer, DeskRequest } from '#desk-program/loopback/page-route.ts';
import type { DeskWork } from '#desk-program/model/desk-work.ts';
import { renderStrips } from './desk-strips.ts';
import { renderPeoplePage } from './people-page.ts';

type Request = DeskRequest<DeskWork>;

export async function answerPeople({ desk, visit }: Request): Promise<DeskAnswer> {
  const { office } = desk;
  const { people, peopleChange: change } = office.session ?? (await office.signIn());
  const main = renderPeoplePage({ holder: office.holder, people, change });
  return { page: { title: 'Desk: people', nav: 'people', main, strip: renderStrips(desk, visit) } };
}
