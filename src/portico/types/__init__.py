"""What travels between the stages: frozen values, standard library only."""
