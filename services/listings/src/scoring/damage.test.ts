import { expect, test } from 'vitest'
import { damageIn, denialReach } from './damage.ts'

test.each([
  'Laptop with scratches on lid',
  'Light scuffing, works fine',
  'Small dent on corner',
  'A few dings',
  'Cracked screen',
  'Vase with chip on rim',
  'Water damaged board',
  'Some blemishes',
  'Shows wear',
  'Worn boots',
  'Sold AS-IS',
  'Camera AS IS',
  'for parts',
  'Parts Only',
  'Spares or Repair',
  'parts/repair',
  'For parts or not working',
  'See description',
  'please read the listing',
  'see photos for condition',
  'Issues with the battery',
  'problem with fan',
  'stopped working',
  "doesn't work",
  'does not work',
  'No power',
  'Laptop, no power, cord included',
  'Console does not turn on',
  "Doesn't charge",
  'dead on arrival',
  'Powers on but no display',
  'boots but crashes',
  'Faulty',
  'broken hinge',
  'Needs work',
  'needs TLC',
  'for repair',
  'Project laptop',
  'No charger, scratches on lid',
  'Not tested, cracked glass',
  'Handy defekt für Bastler',
  'Téléphone pour pièces, ne fonctionne pas',
  'Telefono non funzionante',
  'Móvil para piezas',
  'Broken iPhone 12',
  'iPhone 12, screen is broken',
  'Spares & repairs',
  'Laptop for spares only',
  "Mower won't start",
  'Not new, scratched',
  'Not working, for parts',
  'No cracks or chips - scratched',
  'No scratches but cracked screen',
  'No box, no charger, dented',
  'USB 2.0 hub, version 1.0 cracked',
  'Handy kaputt, Display gesprungen',
  'Téléphone avec rayures, ne marche pas',
  'Telefono rotto con un graffio',
  'Móvil con pantalla rota',
])('"%s" admits damage', (title) => {
  expect(damageIn(title)).toBeDefined()
})

test.each([
  'Building blocks for a wedding',
  'Trading cards including recording',
  'Student edition, identical twin, accidental hero',
  'Gaming chipset motherboard with microchip',
  'Apple M1 chip 8GB',
  'Wearable sensor',
  'Menswear jacket',
  "Men's wear, swim wear",
  'Wear OS watch',
  'Firecracker red',
  'It has issued a receipt',
  'No scratches',
  'No scratches or dents',
  'no visible scratches, dents or cracks',
  'without any damage',
  'free of scratches',
  'Scratch-free',
  'scratch free screen',
  'not scratched',
  'never been damaged',
  'Undamaged',
  'no issues with it',
  'Scratch resistant glass',
  'Anti-scratch screen protector',
  'Laptop i5 NO HDD/NO POWER CORD',
  'No power adapters or cables',
  'Cat scratch post',
  'Game worn jersey',
  'Brand new, works perfectly',
  'Keine Kratzer',
  'sans rayures',
  'ohne sichtbare Kratzer',
  '0 scratches',
  'Not damaged or cracked',
  'Never dropped or damaged',
  'Does not have any scratches',
  "Doesn't have dents",
  'No known issues with battery',
  'No rips, stains or damage',
  'No dead pixels, scratches or cracks',
  'Not for parts, works great',
  'Not a broken screen',
  'iPhone 12 not broken',
  'pas de rayures',
  'Marinière rayée, t-shirt à rayures',
  'Camiseta rayada',
  'Charizard Cracked Ice Holo',
  'Chip and Dale plush, Chip & Dale mug',
  'Chocolate chip cookie jar, clay chips',
  'Harvey Dent figure',
  'Lee Scratch Perry LP',
  'Scratch & Sniff stickers',
  'UGG Scuff slippers',
  'Evening wear, compression wear',
  'Jersey worn by a champion',
  'Faulty Towers DVD',
  'Broken Sword II, Broken Arrow',
])('"%s" admits no damage', (title) => {
  expect(damageIn(title)).toBeUndefined()
})

test('a denial applies over a bounded distance, so that matching stays linear', () => {
  const marks = (length: number) => 'marks of '.repeat(Math.ceil(length / 9))
  expect(damageIn(`no ${marks(denialReach / 2)}scratches`)).toBeUndefined()
  expect(damageIn(`no ${marks(denialReach * 2)}scratches`)).toBe('scratches')
})

test('a word truncated by that distance is not a denial', () => {
  const padding = 'of '.repeat(40)
  for (let length = 0; length < 6; length++) {
    const text = `piano ${'x'.repeat(length)} scratches`
    expect(damageIn(padding + text)).toBe('scratches')
    const tail = `${'any '.repeat(25).slice(length)}scratches`
    expect(damageIn(`piano ${tail}`)).toBe('scratches')
  }
})
