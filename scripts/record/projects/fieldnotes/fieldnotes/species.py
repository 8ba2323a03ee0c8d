"""The species list of the reserve."""

SPECIES = (
    ("Lacerta agilis", "sand lizard"),
    ("Zootoca vivipara", "viviparous lizard"),
    ("Anguis fragilis", "slow worm"),
    ("Natrix natrix", "grass snake"),
    ("Coronella austriaca", "smooth snake"),
    ("Bufo bufo", "common toad"),
    ("Epidalea calamita", "natterjack toad"),
    ("Rana temporaria", "common frog"),
    ("Hyla arborea", "European tree frog"),
    ("Triturus cristatus", "great crested newt"),
    ("Lissotriton vulgaris", "smooth newt"),
    ("Aeshna cyanea", "southern hawker"),
    ("Calopteryx virgo", "beautiful demoiselle"),
    ("Lucanus cervus", "stag beetle"),
    ("Iphiclides podalirius", "scarce swallowtail"),
    ("Alcedo atthis", "common kingfisher"),
    ("Lanius collurio", "red-backed shrike"),
    ("Castor fiber", "Eurasian beaver"),
)


def find(word):
    """Species whose name, Latin or English, holds the word."""
    word = word.lower()
    return [(latin, english) for latin, english in SPECIES if word in latin.lower() or word in english.lower()]
