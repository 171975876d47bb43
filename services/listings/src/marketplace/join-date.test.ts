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
  ['Členem od února 2014', 2014, 2],
  ['Registrován: 4. července 2012', 2012, 7],
  ['Na eBay od: čvn 2012', 2012, 6],
  ['Regisztrált: 2014. szeptember 4.', 2014, 9],
  ['2014 márciusa óta tag', 2014, 3],
  ['Medlem siden desember 2011', 2011, 12],
  ['Registrert: des. 2011', 2011, 12],
  ['Medlem siden 4. maj 2009', 2009, 5],
  ['Üyelik tarihi: Ağustos 2007', 2007, 8],
  ["Ocak 2016'dan beri üye", 2016, 1],
  ['Membru din iunie 2015', 2015, 6],
  ['Зареєстрований: серпень 2013', 2013, 8],
  ['Μέλος από Ιανουαρίου 2012', 2012, 1],
  ['Thành viên từ tháng 3 năm 2015', 2015, 3],
  ['เป็นสมาชิกตั้งแต่ ส.ค. 2550', 2007, 8],
  ['สมาชิกตั้งแต่วันที่ 4 สิงหาคม พ.ศ. 2550', 2007, 8],
  ['เข้าร่วมเมื่อ มีนาคม 2015', 2015, 3],
  ['가입일: 2015년 3월 12일', 2015, 3],
  ['2015년 3월 가입', 2015, 3],
  ['Member since: Aug-04-07', 2007, 8],
  ['Member since: 04-Aug-99', 1999, 8],
  ['Member since 2014-03-05', 2014, 3],
  ['Regisztrált: 2014. 03. 05.', 2014, 3],
  ['Membre depuis 03/2014', 2014, 3],
  ['Member since 25/03/2014', 2014, 3],
  ['Member since 03/25/2014', 2014, 3],
  ['Member since 2014', 2014, undefined],
  ['Mitglied seit 2014', 2014, undefined],
  ['Joined: 2007', 2007, undefined],
  ['Member since 04/05/2021', 2021, undefined],
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
  'Joined 2007 2008',
  'Joined 12 2007 13',
  'Joined Pro Aug 2007',
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
    expect(joinedOn('Member since 25/04/2021')).toBe('2021-04-25')
  })

  test.each([
    ['https://www.ebay.com/itm/123456789012', '', '2021-04-05'],
    ['https://www.ebay.com/itm/123456789012', 'en', '2021-04-05'],
    ['https://www.ebay.com/itm/123456789012', 'fr-FR', '2021-05-04'],
    ['https://www.ebay.co.uk/itm/123456789012', '', '2021-05-04'],
    ['https://www.ebay.co.uk/itm/123456789012', 'en', '2021-05-04'],
    ['https://www.ebay.de/itm/123456789012', 'en-US', '2021-04-05'],
    ['http://192.0.2.1/itm/123456789012', 'cs', '2021-05-04'],
  ])('of %s in the language "%s" has the day and the month in its order', (pageUrl, language, day) => {
    const html = `<html lang="${language}"><h1>A plate</h1><h2 class="x-store-information__store-name">anna</h2><div class="x-store-information__info"><span class="ux-icon-text__text">Member since 04/05/2021</span></div>`
    expect(readItemPage(html, { ...context, pageUrl })).toMatchObject({ joined: { earliest: day, latest: day } })
  })

  test('whose dates have an unknown order, or only a year, has that year as the join date', () => {
    const unknown = { ...context, pageUrl: 'http://192.0.2.1/itm/123456789012' }
    for (const date of ['04/05/2021', '2021']) {
      const html = `<html lang="en"><h1>A plate</h1><h2 class="x-store-information__store-name">anna</h2><p>Member since ${date}</p>`
      const joined = { earliest: '2021-01-01', latest: '2021-12-31' }
      expect(readItemPage(html, unknown)).toMatchObject({ joined })
    }
  })

  test('with dates that agree has the most exact one', () => {
    expect(joinedOn('', '<p>Member since 2007</p><p>Joined Aug 2007</p>')).toBe('2007-08-01')
    expect(joinedOn('', '<p>Member since 2008</p><p>Joined Aug 2007</p>')).toBeUndefined()
  })

  test('has no join date from descriptions or from texts that contradict each other', () => {
    expect(joinedOn('', '<p>Both halves joined in May 1999 by hand</p>')).toBeUndefined()
    expect(joinedOn('', '<script>{"text":"Joined Aug 2007"}</script>')).toBe('2007-08-01')
    expect(joinedOn('', '<script>{"text":"Joined Aug 2007"}</script><p>Joined Jan 1999</p>')).toBeUndefined()
  })
})
