"""What a tree offers: modules, names, classes, fields and signatures, read on demand."""
