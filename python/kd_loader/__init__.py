"""Stand-ins for Kauldron's config modules: they let a config file run without Kauldron."""
