import { describe, expect, test } from 'vitest'
import { readItemPage } from './item-page.ts'
import { readJoinDate } from './join-date.ts'

test.each([
  ['Joined Aug 2007', 2007, 8],
  ['joined: May 4, 2026.', 2026, 5],
  ['Member since Aug 04, 2007', 2007, 8],
  ['on eBay since March 2015', 2015, 3],
  ['Mitglied seit: 4. Mai 2026', 2026, 5],
  ['Angemeldet am 04.05.2021', 2021, 5],
  ['Bei eBay seit Okt. 2009', 2009, 10],
  ['Membre depuis août 2012', 2012, 8],
  ['Inscrit le 3 févr. 2012', 2012, 2],
  ['Iscritto dal gen 2010', 2010, 1],
  ['Iscritto da ago 2007', 2007, 8],
  ['Miembro desde el 4 de may. de 2016', 2016, 5],
  ['Se unió en dic 2011', 2011, 12],
  ['Lid sinds mrt. 2018', 2018, 3],
  ['Dołączył w lip 2013', 2013, 7],
  ['Зарегистрирован с авг. 2014', 2014, 8],
  ['2015年3月登録', 2015, 3],
  ['2015年3月12日に登録', 2015, 3],
  ['加入时间:2015年3月', 2015, 3],
  ['加入日期：2015年3月', 2015, 3],
  ['會員註冊日期：2015年3月12日', 2015, 3],
  ['Iscritto ad ago 2007', 2007, 8],
  ['Utente dal: 04-ago-2007', 2007, 8],
  ['Su eBay dal ago 2007', 2007, 8],
  ['Usuario desde ago 2007', 2007, 8],
  ['Użytkownik od sie 2007', 2007, 8],
])('%s', (line, year, month) => {
  expect(readJoinDate(line)).toMatchObject({ year, month })
})

test.each([
  'Great seller, joined the club in March 2001',
  'Joined in March 2001 and never had a complaint',
  'Two boards joined by screws, made in May 1999',
  'Joined Steel Plate March 2001',
  'Joined-up writing book, June 1987',
  'Not joined Aug 2007',
  'Joined 43 groups Aug 2007',
  'Joined Aug 2007 Sep 2008',
  'Joined Aug 2007 2008',
  'Joined marching band 2007',
  'Joined 2007',
  'Joined Aug',
  'registrado por 12 usuarios en mayo 2015',
])('a text without a join date: %s', (line) => {
  expect(readJoinDate(line)).toBeUndefined()
})

describe('an item page', () => {
  const context = {
    pageUrl: 'https://www.ebay.com/itm/123456789012',
    observedAt: new Date('2026-06-15'),
    defaultCurrency: 'USD',
  }
  const joinedOn = (store: string, rest = '') => {
    const page = readItemPage(
      `<h1 class="x-item-title__mainTitle"><span>A plate</span></h1><h2 class="x-store-information__store-name"><a href="https://www.ebay.com/usr/anna">anna</a></h2>
       <div class="x-store-information__info"><span class="ux-icon-text__text">${store}</span></div>${rest}`,
      context,
    )
    return page.kind === 'item' ? page.joined?.earliest : page
  }

  test('has the join date from the line about the seller, even beside other facts', () => {
    expect(joinedOn('Joined Aug 2007')).toBe('2007-08-01')
    expect(joinedOn('43 items sold • Joined Aug 2007')).toBe('2007-08-01')
    expect(joinedOn('43 items sold, joined Aug 2007')).toBe('2007-08-01')
  })

  test('has the day of the join date where the page shows it unambiguously', () => {
    expect(joinedOn('Joined May 4, 2026')).toBe('2026-05-04')
    expect(joinedOn('Mitglied seit: 4. Mai 2026')).toBe('2026-05-04')
    expect(joinedOn('2015年3月12日に登録')).toBe('2015-03-12')
    expect(joinedOn('Member since 04/05/2021')).toBe('2021-05-01')
  })

  test('has no join date from descriptions or from texts that contradict each other', () => {
    expect(joinedOn('', '<p>Both halves joined in May 1999 by hand</p>')).toBeUndefined()
    expect(joinedOn('', '<script>{"text":"Joined Aug 2007"}</script>')).toBe('2007-08-01')
    expect(joinedOn('', '<script>{"text":"Joined Aug 2007"}</script><p>Joined Jan 1999</p>')).toBeUndefined()
  })
})
