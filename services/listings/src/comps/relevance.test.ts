import { describe, expect, test } from 'vitest'
import { createRelevance, ownNounsOf } from './relevance.ts'

const judged = (query: string, title: string, condition: string | null = 'pre-owned'): string => {
  const judgement = createRelevance(query).judge(title, condition)
  if (judgement.kind === 'unrelated') return judgement.reason
  return judgement.doubt === 'accessory' ? 'accessory, by its price' : (judgement.stratum ?? 'related')
}

describe('models', () => {
  test.each([
    ['iphone 14', 'Apple iPhone 14 128GB Unlocked Smartphone', 'used'],
    ['iphone 14', 'iPhone14 128 GB', 'used'],
    ['iphone 14', 'Apple iPhone 14 Pro Max 256GB', 'other_model'],
    ['iphone 14', 'Apple iPhone 13 w/ 14 day warranty', 'other_model'],
    ['iphone 14 128gb', 'Apple iPhone 14 128 GB Blue', 'used'],
    ['iphone 14 128gb', 'Apple iPhone 14 512GB Blue', 'other_model'],
    ['rtx 3080', 'MSI RTX3080 Gaming X Trio', 'used'],
    ['rtx 3080', 'EVGA GeForce RTX 3080Ti FTW3', 'other_model'],
    ['wh-1000xm5', 'Sony WH1000XM5 Headphones', 'used'],
    ['wh-1000xm5', 'Sony WH-1000XM4 Headphones', 'other_model'],
    ['x100', 'Fujifilm X100V', 'other_model'],
    ['galaxy s23', 'Samsung Galaxy S23+ 256GB', 'other_model'],
    ['sony a7', 'Sony A7 III body', 'other_model'],
    ['thinkpad x1', 'Lenovo ThinkPad X13', 'other_model'],
    ['monitor 27', 'Dell Monitor 27" 4K', 'used'],
    ['2011 jetta intake', 'Cold air intake for 08-13 Jetta', 'used'],
    ['2011 jetta intake', 'Cold air intake for 2014-2018 Jetta', 'other_model'],
    ['ps5 (disc,digital)', 'Sony PS5 Digital Edition', 'used'],
    ['iphone 14 128gb', 'iPhone 14 128Go noir', 'used'],
    ['iphone 14 128go', 'iPhone 14 128 GB', 'used'],
    ['ssd 1tb', 'SSD 1 To', 'used'],
    ['ssd 1tb', 'SSD 512 Go', 'other_model'],
    ['iphone 14 128gb', 'iPhone 14 128ГБ', 'used'],
  ])('"%s": "%s" is %s', (query, title, expected) => {
    expect(judged(query, title)).toBe(expected)
  })
})

describe('words', () => {
  test.each([
    ['phone', 'Samsung Smartphone', 'used'],
    ['dell laptop', 'Dell Latitude 5420', 'used'],
    ['laptop', 'Toaster', 'other_words'],
    ['pokemon', 'Pokémon plush', 'used'],
    ['ipad air -mini', 'iPad Air mini', 'excluded_words'],
    ['', 'Anything', 'used'],
  ])('"%s": "%s" is %s', (query, title, expected) => {
    expect(judged(query, title)).toBe(expected)
  })
})

describe('accessories, parts and boxes', () => {
  test.each([
    ['Silicone case for iPhone 14', 'accessory'],
    ['iPhone 14 case black', 'accessory, by its price'],
    ['Stand for Apple iPhone 14', 'accessory'],
    ['iPhone 14 tempered glass 3 pack', 'accessory'],
    ['Hülle für iPhone 14', 'accessory'],
    ['Coque pour iPhone 14', 'accessory'],
    ['Custodia per iPhone 14', 'accessory'],
    ['Funda para iPhone 14', 'accessory'],
    ['Logic board iPhone 14', 'part'],
    ['Mainboard iPhone 14 128GB', 'part'],
    ['Ersatzdisplay iPhone 14', 'part'],
    ['Écran pour iPhone 14', 'part'],
    ['Scheda madre iPhone 14', 'part'],
    ['Pantalla para iPhone 14', 'part'],
    ['Hoesje voor iPhone 14', 'accessory'],
    ['Película para iPhone 14', 'accessory'],
    ['Szkło hartowane iPhone 14', 'accessory'],
    ['Moederbord iPhone 14', 'part'],
    ['Płyta główna iPhone 14', 'part'],
    ['iPhone 14 box only', 'incomplete'],
    ['iPhone 14 leere OVP', 'incomplete'],
    ['iPhone 14 boîte vide', 'incomplete'],
    ['iPhone 14 scatola vuota', 'incomplete'],
    ['iPhone 14 caja vacía', 'incomplete'],
    ['iPhone 14 lege doos', 'incomplete'],
    ['Pudełko po iPhone 14', 'incomplete'],
    ['iPhone 14 dummy', 'other_thing'],
    ['iPhone 14 with case and charger', 'used'],
    ['iPhone 14 + screen protector', 'accessory, by its price'],
    ['iPhone 14 with case and tempered glass', 'accessory, by its price'],
    ['iPhone 14 mit Hülle und Panzerglas', 'accessory, by its price'],
    ['Case with tempered glass for iPhone 14', 'accessory'],
    ['Tempered glass with frame iPhone 14', 'accessory'],
    ['iPhone 14 20W USB-C charger', 'accessory, by its price'],
    ['iPhone 14 docking station', 'accessory, by its price'],
    ['iPhone 14 Dockingstation', 'accessory, by its price'],
    ['iPhone 14 flacon vide', 'incomplete'],
    ['iPhone 14 replica', 'other_thing'],
    ['iPhone 14, not a replica', 'used'],
    ['iPhone 14 original, kein Fake', 'used'],
  ])('"%s" is %s', (title, expected) => {
    expect(judged('iphone 14', title)).toBe(expected)
  })

  test('an accessory is related to a query that names one', () => {
    expect(judged('iphone 14 case', 'Silicone case for iPhone 14')).toBe('used')
    expect(judged('lens cap 58mm', 'Lens cap 58mm for Canon')).toBe('used')
  })
})

describe('nouns of accessories and parts that precede or follow what they are for', () => {
  test.each([
    ['Coque silicone iPhone 14', true],
    ['Lot avec coque iPhone 14', false],
    ['Batterie iPhone 14 3279 mAh', true],
    ['iPhone 14 128 Go noir, écran 6,1 pouces', false],
    ['Custodia MagSafe iPhone 14', true],
    ['Schermo originale iPhone 14', true],
    ['Funda iPhone 14 silicona', true],
    ['Pantalla original iPhone 14', true],
    ['Silikonhülle iPhone 14', true],
    ['iPhone 14 Handyhuelle blau', true],
    ['iPhone 14 mit Hülle', false],
    ['iPhone 14 hoesje met bloem', true],
    ['Capa iPhone 14', true],
    ['Etui silikonowe iPhone 14', true],
    ['iPhone 14 + housse', false],
    ['Chargeur + câble iPhone 14', true],
    ['Case iPhone 14', true],
    ['Etui gratis! iPhone 14 128GB', false],
    ['In stand-by mode, tested: iPhone 14', false],
    ['Snowshoes with an iPhone 14 holder', false],
  ])('"%s": %s', (title, expected) => {
    expect(createRelevance('iphone 14').judge(title, null)).toMatchObject({ doubt: expected ? 'accessory' : null })
  })
})

describe('strata', () => {
  test.each([
    ['Camera', 'brand new', 'new'],
    ['Camera', 'neu', 'new'],
    ['Camera', 'like new', 'used'],
    ['Camera', 'wie neu', 'used'],
    ['Camera', 'new (other)', 'used'],
    ['Camera', 'very good - refurbished', 'used'],
    ['Camera', 'for parts or not working', 'for_parts'],
    ['Camera', 'als ersatzteil / defekt', 'for_parts'],
    ['Camera', 'parts only', 'for_parts'],
    ['Camera', 'nur ersatzteile', 'for_parts'],
    ['Camera', 'pièces détachées uniquement', 'for_parts'],
    ['Camera', 'solo ricambi', 'for_parts'],
    ['Camera', 'solo piezas', 'for_parts'],
    ['Camera', 'voor onderdelen of defect', 'for_parts'],
    ['Camera', 'alleen onderdelen', 'for_parts'],
    ['Camera', 'na części lub niesprawny', 'for_parts'],
    ['Camera', 'tylko części', 'for_parts'],
    ['Camera', 'neuwertig', 'used'],
    ['Camera', 'neu: sonstige (siehe artikelbeschreibung)', 'used'],
    ['Camera', 'd’occasion', 'used'],
    ['Camera', 'di seconda mano', 'used'],
    ['Camera', 'używane', 'used'],
    ['Camera defekt', 'gebraucht', 'for_parts'],
    ['Camera en panne', 'occasion', 'for_parts'],
    ['Camera non funzionante', 'usato', 'for_parts'],
    ['Camera averiada', 'usado', 'for_parts'],
    ['Camera kapot', 'gebruikt', 'for_parts'],
    ['Camera avariada', 'usado', 'for_parts'],
    ['Camera uszkodzona', 'używany', 'for_parts'],
    ['Camera na części', 'używany', 'for_parts'],
    ['Camera', 'defect', 'for_parts'],
    ['Camera niet werkend', 'gebruikt', 'for_parts'],
    ['Camera не работает', 'б/у', 'for_parts'],
    ['Camera', 'на запчасти или нерабочее', 'for_parts'],
    ['Camera', 'б/у', 'used'],
    ['Camera', 'новый', 'new'],
    ['Cameraジャンク品', '中古', 'for_parts'],
    ['Camera', '部品取り用または動作不良', 'for_parts'],
    ['Camera 動作確認済み 故障なし', '中古品', 'used'],
    ['Camera 零件机', '二手', 'for_parts'],
    ['Camera 無法開機', '二手', 'for_parts'],
    ['Camera 无故障', '全新', 'new'],
    ['Camera 부품용', null, 'for_parts'],
    ['Camera 고장 없음', null, 'related'],
    ['Lot of 5 camera', 'used', 'lot'],
    ['Camera 5pcs', 'used', 'lot'],
    ['Camera joblot', 'used', 'lot'],
    ['Camera Konvolut', 'gebraucht', 'lot'],
    ['Lot de 3 camera', 'occasion', 'lot'],
    ['Lotto di 3 camera', 'usato', 'lot'],
    ['Lote de camera', 'usado', 'lot'],
    ['Partij camera', 'gebruikt', 'lot'],
    ['Camera 3 szt', 'używany', 'lot'],
    ['Camera', null, 'related'],
  ])('"%s" (%s) is %s', (title, condition, expected) => {
    expect(judged('camera', title, condition)).toBe(expected)
  })
})

test('a hostile title or query takes no longer than an ordinary one needs', () => {
  const long = `${'case for '.repeat(40)}${'1'.repeat(200)}`
  expect(judged('(((((("-'.repeat(60), long)).toEqual(expect.any(String))
  expect(judged('[.*+?^$', 'Camera')).toEqual(expect.any(String))
})

describe('hard cases', () => {
  test.each([
    ['iphone 13', 'Apple iPhone 13 - Empty Original Retail Box', 'incomplete'],
    ['iphone 13', 'iPhone 13 retail packaging - NO PHONE', 'incomplete'],
    ['pokemon', '7 Switch Pokemon Empty Game Cases No Games', 'incomplete'],
    ['phone', 'Qwerty keyboard phone 16GB', 'used'],
    ['airpods pro', 'AirPods Pro 2nd gen Right Side Earbud Only', 'incomplete'],
    ['iphone 13', '3x Apple iPhone 13 128GB', 'lot'],
    ['camera', 'Panasonic Camera 30x zoom', 'used'],
    ['iphone 13', 'Apple iPhone 13 128GB iCloud Locked', 'for_parts'],
    ['thinkpad t14', 'Lenovo ThinkPad T14 untested', 'for_parts'],
    ['seiko skx007', 'Seiko SKX007 not running', 'for_parts'],
    ['thinkpad t14', 'Lenovo ThinkPad T14 mit Wasserschaden', 'for_parts'],
    ['thinkpad t14', 'Lenovo ThinkPad T14 i5 BIOS locked', 'for_parts'],
    ['nintendo switch', 'Mario Kart 8 Deluxe (Nintendo Switch, 2017)', 'other_thing'],
    ['nintendo switch', 'Nintendo Switch console (OLED model, 2021)', 'used'],
    ['mario kart nintendo switch', 'Mario Kart 8 Deluxe (Nintendo Switch, 2017)', 'used'],
    ['ps5', 'Sony PS5 DualSense Wireless Controller', 'accessory, by its price'],
    ['ps5', 'Sony PS5 console with DualSense controller, cables, charger', 'used'],
    ['ps5 controller', 'Sony PS5 DualSense controller', 'used'],
    ['dyson v8', 'Dyson V8 filter', 'accessory, by its price'],
    ['seiko skx007', 'Seiko SKX007 dial and hands', 'accessory, by its price'],
    ['vitamix 5200', 'Vitamix 5200 container 64oz', 'accessory, by its price'],
    ['vitamix 5200', 'Vitamix 5200 blender with container', 'used'],
    ['lego 75192', 'LEGO 75192 minifigures only no ship', 'incomplete'],
    ['iphone 13', 'iPhone 13 rear camera lens glass', 'part'],
    ['iphone 13', 'iPhone 13 screen replacement OLED', 'part'],
    ['pixel 7', 'Google Pixel 7a 128GB', 'other_model'],
    ['iphone 11', 'Apple iPhone 11 | 11 Pro | 11 Pro Max 64GB unlocked', 'other_model'],
    ['iphone 11 pro', 'Apple iPhone 11 Pro 64GB', 'used'],
    ['dvd player 12v', 'Portable DVD player 12V', 'used'],
    ['canon ae-1', 'Canon AE-1 with 50mm lens, strap, original box, case', 'used'],
    ['canon ae-1', 'Canon AE-1 instruction manual', 'accessory, by its price'],
    ['canon eos r6', 'Battery Grip BG-R10 for Canon EOS R6', 'accessory'],
    ['canon eos r6', 'Canon EOS R6 nur Gehäuse', 'accessory, by its price'],
    ['canon eos r6', 'Canon EOS R6 boîtier seul', 'accessory, by its price'],
    ['dior sauvage', 'Dior Sauvage empty bottle', 'incomplete'],
    ['dior sauvage', 'Dior Sauvage leerer Flakon', 'incomplete'],
    ['dior sauvage empty bottle', 'Dior Sauvage empty bottle', 'used'],
    ['morgan dollar', 'Roll of 20 Morgan dollars', 'lot'],
    ['canon ae-1', 'Canon AE-1 35mm film SLR camera, manual focus', 'used'],
  ])('"%s": "%s" is %s', (query, title, expected) => {
    expect(judged(query, title)).toBe(expected)
  })
})

describe('games of a platform', () => {
  test.each([
    ['game boy color', 'Pokemon Gold Game Boy Color', 'other_thing'],
    [
      'game boy color',
      'The Legend of Zelda: Oracle of Ages - Nintendo Game Boy Color - Authentic Tested',
      'other_thing',
    ],
    ['nintendo game boy color', 'Wario Land 3 GBC game Nintendo Game Boy Color', 'other_thing'],
    ['game boy color', 'Game Boy Color Tetris DX cartridge', 'other_thing'],
    ['game boy', 'Metroid II Game Boy', 'other_thing'],
    ['game boy color console', 'Pokemon Gold Game Boy Color', 'other_thing'],
    ['ps5', 'Elden Ring PS5', 'other_thing'],
    ['playstation 5', 'God of War Ragnarok Sony PlayStation 5 PAL', 'other_thing'],
    ['nintendo switch', 'Jeu Mario Party Superstars Nintendo Switch', 'other_thing'],
    ['game boy color', 'Nintendo Game Boy Color', 'used'],
    ['game boy color', 'Atomic Purple Nintendo Game Boy Color tested', 'used'],
    ['game boy color', 'Boxed Game Boy Color', 'used'],
    ['ps1', 'Chipped PlayStation PS1', 'used'],
    ['game boy color', 'WOW! Lovely Kiwi Green Game Boy Color', 'used'],
    ['game boy color', 'Game Boy Color Teal CGB-001', 'used'],
    ['game boy color', 'Pikachu Edition Game Boy Color', 'used'],
    ['game boy color', 'Handheld Pokemon Nintendo Game Boy Color', 'used'],
    ['game boy color', 'Nintendo Game Boy Color Teal with Tetris game', 'used'],
    ['game boy color', 'Game Boy Color Teal + Tetris game', 'used'],
    ['ps5', 'Sony PlayStation 5 PS5 825GB video game console', 'used'],
    ['nintendo switch', 'Neon Red Blue Nintendo Switch', 'used'],
    ['nintendo switch', 'Refurbished 32GB Nintendo Switch', 'used'],
    ['pokemon gold game boy color', 'Pokemon Gold Game Boy Color', 'used'],
    ['elden ring ps5', 'Elden Ring PS5', 'used'],
    ['ps5 game', 'Elden Ring PS5 game', 'used'],
    ['game boy color screen', 'FunnyPlaying Q5 Game Boy Color Screen', 'used'],
    ['game boy color lens', 'FunnyPlaying Game Boy Color', 'used'],
    ['camera', 'Game Boy Camera', 'used'],
    ['ps5 controller', 'DualSense Edge Wireless Controller PS5', 'used'],
  ])('"%s": "%s" is %s', (query, title, expected) => {
    expect(judged(query, title)).toBe(expected)
  })
})

describe('parts that only their price confirms', () => {
  test.each([
    ['2011 jetta cold air intake', 'A-Premium Front Engine Air Intake Hose w/ Clamps for Jetta 2011-2017', true],
    ['2011 jetta cold air intake', '2011-2014 Jetta Sportwagen 2.0L Air Intake Pipe OEM.', true],
    ['2011 jetta cold air intake', 'Cold Air Intake Rubber Gasket for 2011 Jetta', true],
    ['2011 jetta cold air intake', 'Cold Air Intake Filter and Heat Shield for 2011 Jetta', true],
    ['electric guitar', 'Electric Guitar Strings, light', true],
    ['dishwasher bosch sms46', 'Bosch Dishwasher Door Seal SMS46', true],
    ['2011 jetta cold air intake', '2011 Jetta Cold Air Intake System w/ Filter', false],
    ['2011 jetta cold air intake', 'Cold Air Intake Filter System Kit for 2011 Jetta', false],
    ['2011 jetta cold air intake', 'Cold Air Intake Kit, Air Intake Hose, 2011 Jetta', false],
    ['turntable audio technica', 'Audio Technica Turntable Belt Drive', false],
    ['gucci', 'Gucci Belt', false],
    ['gucci bag', 'Gucci Belt Bag', false],
    ['electric scooter', 'Electric Scooter 500W Motor', false],
  ])('"%s": "%s": %s', (query, title, expected) => {
    const judgement = createRelevance(query).judge(title, null)
    expect(judgement).toMatchObject({ kind: 'related', doubt: expected ? 'part' : null })
  })

  test('a query that names the part finds it', () => {
    const relevance = createRelevance('2011 jetta air intake hose')
    expect(relevance.judge('Air Intake Hose for 2011 Jetta', null)).toMatchObject({ kind: 'related', doubt: null })
  })
})

test('a noun that nearly all titles have describes the thing itself, one of most titles does not', () => {
  const launchkeys = Array.from({ length: 9 }, (_, index) => `Novation Launchkey ${index} MIDI controller`)
  expect(ownNounsOf([...launchkeys, 'Novation Launchkey'])).toEqual(new Set(['controller']))
  const phones = Array.from({ length: 10 }, (_, index) => (index < 7 ? 'iPhone 14 case' : 'iPhone 14 128GB'))
  expect(ownNounsOf(phones)).toEqual(new Set())
  const relevance = createRelevance('novation launchkey', ownNounsOf(launchkeys))
  expect(relevance.judge('Novation Launchkey 49 controller', null).kind).toBe('related')
})
