/** A kind of product with its models and their usual price in USD. */
export type Family = {
  readonly category: { readonly id: string; readonly path: readonly [string, ...string[]] }
  /** What a listing's title ends with, after the model. */
  readonly noun: string
  readonly models: readonly (readonly [name: string, price: number])[]
  readonly variants: readonly [string, ...string[]]
  /** Hue of the generated pictures, in degrees. */
  readonly hue: number
}

const computers = 'Computers/Tablets & Networking'
const phones = 'Cell Phones & Accessories'
const games = 'Video Games & Consoles'

export const families: readonly Family[] = [
  {
    category: { id: '175672', path: [computers, 'Laptops & Netbooks', 'PC Laptops & Netbooks'] },
    noun: 'Laptop',
    models: [
      ['Lenovo ThinkPad X1 Carbon', 620],
      ['Lenovo ThinkPad T14', 410],
      ['Dell XPS 13', 560],
      ['HP EliteBook 840', 330],
      ['Framework 13', 790],
    ],
    variants: ['16GB RAM 512GB SSD', '32GB RAM 1TB SSD', '8GB RAM 256GB SSD', 'i7 16GB', 'Ryzen 7 32GB', '14" touch'],
    hue: 210,
  },
  {
    category: { id: '111422', path: [computers, 'Laptops & Netbooks', 'Apple Laptops'] },
    noun: 'Laptop',
    models: [
      ['Apple MacBook Air M2', 640],
      ['Apple MacBook Pro 14', 1180],
      ['Apple MacBook Air M1', 480],
    ],
    variants: ['8GB 256GB', '16GB 512GB', 'Space Gray', 'Midnight 16GB 1TB', 'Silver'],
    hue: 200,
  },
  {
    category: { id: '27386', path: [computers, 'Computer Components & Parts', 'Graphics/Video Cards'] },
    noun: 'Graphics Card GPU',
    models: [
      ['NVIDIA GeForce RTX 4090', 1650],
      ['NVIDIA GeForce RTX 5080', 1150],
      ['NVIDIA GeForce RTX 3090', 780],
      ['AMD Radeon RX 7900 XTX', 690],
      ['NVIDIA Quadro RTX 5000', 520],
    ],
    variants: ['24GB', '16GB', 'Founders Edition', 'OC triple fan', '24GB blower', '16GB ITX'],
    hue: 130,
  },
  {
    category: { id: '171485', path: [computers, 'Tablets & eBook Readers', 'Tablets & eReaders'] },
    noun: 'Tablet',
    models: [
      ['Apple iPad Air', 390],
      ['Samsung Galaxy Tab S9', 430],
      ['Kobo Libra Colour eReader', 150],
    ],
    variants: ['64GB WiFi', '256GB WiFi + Cellular', 'with case', 'Blue'],
    hue: 180,
  },
  {
    category: { id: '9355', path: [phones, 'Cell Phones & Smartphones'] },
    noun: 'Smartphone',
    models: [
      ['Apple iPhone 14', 430],
      ['Apple iPhone 15 Pro', 690],
      ['Samsung Galaxy S23', 380],
      ['Google Pixel 8', 340],
      ['Fairphone 5', 410],
    ],
    variants: ['128GB Unlocked', '256GB Unlocked', '128GB Black', '256GB Blue Dual SIM', '512GB'],
    hue: 260,
  },
  {
    category: { id: '139971', path: [games, 'Video Game Consoles'] },
    noun: 'Console',
    models: [
      ['Sony PlayStation 5', 390],
      ['Nintendo Switch OLED', 240],
      ['Microsoft Xbox Series X', 340],
      ['Valve Steam Deck', 380],
      ['Nintendo Game Boy Advance', 85],
    ],
    variants: ['with controller', 'Disc Edition 1TB', 'bundle with 3 games', 'White', 'boxed'],
    hue: 300,
  },
  {
    category: { id: '31388', path: ['Cameras & Photo', 'Digital Cameras'] },
    noun: 'Camera',
    models: [
      ['Canon EOS R6', 1250],
      ['Nikon Z6', 820],
      ['Sony A7 III Mirrorless', 1020],
      ['Fujifilm X-T30', 690],
      ['Ricoh GR III', 880],
    ],
    variants: ['body only', 'with 50mm lens', 'low shutter count', '24MP kit', 'boxed with charger'],
    hue: 30,
  },
  {
    category: { id: '3323', path: ['Cameras & Photo', 'Lenses & Filters', 'Camera Lenses'] },
    noun: 'Lens',
    models: [
      ['Canon RF 50mm f/1.8', 150],
      ['Nikon Z 24-70mm f/4', 390],
      ['Sigma 35mm f/1.4 Art', 480],
      ['Helios 44-2 58mm', 65],
    ],
    variants: ['with hood', 'E mount', 'boxed', 'with UV filter'],
    hue: 40,
  },
  {
    category: { id: '112529', path: ['Consumer Electronics', 'Portable Audio & Headphones', 'Headphones'] },
    noun: 'Headphones',
    models: [
      ['Sony WH-1000XM5', 230],
      ['Bose QuietComfort 45', 180],
      ['Sennheiser HD 600', 240],
      ['Apple AirPods Pro 2', 160],
    ],
    variants: ['Black', 'Silver wireless', 'with case', 'USB-C', 'boxed'],
    hue: 350,
  },
  {
    category: { id: '38071', path: ['Musical Instruments & Gear', 'Synthesizers'] },
    noun: 'Synthesizer',
    models: [
      ['Korg Minilogue', 390],
      ['Roland JU-06A', 330],
      ['Teenage Engineering OP-1', 820],
    ],
    variants: ['with power supply', 'boxed', 'MIDI', 'analog polyphonic'],
    hue: 80,
  },
  {
    category: { id: '33034', path: ['Musical Instruments & Gear', 'Guitars & Basses', 'Electric Guitars'] },
    noun: 'Electric Guitar',
    models: [
      ['Fender Player Stratocaster', 620],
      ['Epiphone Les Paul Standard', 450],
      ['Ibanez RG421', 300],
    ],
    variants: ['Sunburst', 'with gig bag', 'Left handed', 'Black'],
    hue: 15,
  },
  {
    category: { id: '19006', path: ['Toys & Hobbies', 'Building Toys', 'Complete Sets & Packs'] },
    noun: 'Building Set',
    models: [
      ['Technic Crane 42146', 540],
      ['Castle Knights 10305', 310],
      ['Space Shuttle 10283', 180],
    ],
    variants: ['new sealed', 'complete with instructions', 'retired', 'boxed'],
    hue: 50,
  },
  {
    category: { id: '31387', path: ['Jewelry & Watches', 'Watches', 'Wristwatches'] },
    noun: 'Watch',
    models: [
      ['Seiko 5 Automatic', 160],
      ['Casio G-Shock DW-5600', 60],
      ['Tissot PRX Powermatic 80', 480],
    ],
    variants: ['blue dial', 'steel bracelet', 'black 40mm', 'box and papers'],
    hue: 220,
  },
  {
    category: { id: '20667', path: ['Home & Garden', 'Kitchen, Dining & Bar', 'Small Kitchen Appliances'] },
    noun: 'Espresso Machine',
    models: [
      ['Gaggia Classic Pro', 320],
      ['Rancilio Silvia', 480],
      ['Bialetti Moka Express', 28],
    ],
    variants: ['with grinder', 'stainless steel', '58mm portafilter', 'Red'],
    hue: 5,
  },
]

/** Words appended to a damaged item's title; the scorer must notice each. */
export const damagedEndings = [
  'for parts',
  'as is',
  'cracked screen',
  'with scratches',
  'not working',
  'read description',
  'needs repair',
] as const
/** Words that look like damage but are not. */
export const soundEndings = ['no scratches', 'scratch-free', 'tested', 'great condition', 'fast shipping'] as const

/** Conditions, with their frequency (per hundred) and the share of the usual price that they fetch. */
export const conditions: readonly { readonly name: string; readonly weight: number; readonly worth: number }[] = [
  { name: 'Pre-Owned', weight: 58, worth: 0.92 },
  { name: 'Brand New', weight: 18, worth: 1.12 },
  { name: 'Open Box', weight: 9, worth: 1 },
  { name: 'Very Good - Refurbished', weight: 8, worth: 0.97 },
  { name: 'For parts or not working', weight: 7, worth: 0.4 },
]
